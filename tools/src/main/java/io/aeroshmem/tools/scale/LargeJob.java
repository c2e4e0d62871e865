/*
 * Copyright 2026 The AeroSHMEM authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.aeroshmem.tools.scale;

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.collective.selection.AlgorithmSettings;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.Topology;
import io.aeroshmem.config.Settings;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.JoinRecord;
import io.aeroshmem.transport.endpoint.Placement;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.mapped.MappedTransport;
import org.agrona.BitUtil;
import org.agrona.CloseHelper;
import org.agrona.UnsafeApi;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;

import static org.agrona.UnsafeApi.arrayBaseOffset;

/**
 * A job of many PEs on the thread that calls. The collectives' own tasks run in it, over the library's layout of the
 * system area, and with the algorithms that the table selects; they are polled when a message has arrived. Messages
 * arrive in the order of a virtual clock, by the costs of a {@link Link}, and in the order sent between two PEs.
 * <p>
 * PEs of one host count as mapped where an algorithm is selected, and their signals are messages like the others, over
 * the link of the host. The memory of all PEs is one sparse file, in the folder of shared memory.
 */
public final class LargeJob implements AutoCloseable
{
    /** Limit of the number of PEs. */
    public static final int MAX_PES = 4096;

    /** Region of source and dest. */
    static final int OPERANDS = Region.USER;
    static final long SOURCE_OFFSET = 0;

    private static final long BYTES_BASE = arrayBaseOffset(byte[].class);
    private static final long TOKEN = 1;

    private final int hosts;
    private final long blockBytes;
    private final Link network;
    private final Link host;
    private final JobDirectory directory;
    private final SparseMemory memory;
    private final MemorySpace[] spaces;
    private final int[] hostOf;
    private final LargeJobPe[] pes;
    private final Queue<Message> underWay = new PriorityQueue<>();
    private final Deque<Message> unused = new ArrayDeque<>();
    private final long memoryBefore;
    private long messages;
    private long nowNs;

    /**
     * Constructs a job.
     *
     * @param hosts      number of hosts, 1 or more.
     * @param pesOfHost  number of PEs on each, 1 or more; on all hosts together up to {@link #MAX_PES}.
     * @param blockBytes length of a block of the operations, a multiple of 8, greater than 0.
     * @param network    between hosts.
     * @param host       between PEs of a host.
     */
    public LargeJob(
        final int hosts, final int pesOfHost, final long blockBytes, final Link network, final Link host)
    {
        final long count = (long)hosts * pesOfHost;
        if (hosts < 1 || pesOfHost < 1 || count > MAX_PES)
        {
            throw new IllegalArgumentException(
                "the number of PEs must be 1 to " + MAX_PES + ": " + hosts + " hosts of " + pesOfHost + " PEs");
        }

        final long maxBlockBytes = maxBlockBytes((int)count);
        if (blockBytes <= 0 || 0 != blockBytes % Long.BYTES || blockBytes > maxBlockBytes)
        {
            throw new IllegalArgumentException("blockBytes must be a multiple of 8, from 8 to " + maxBlockBytes +
                " on " + count + " PEs: blockBytes=" + blockBytes);
        }

        memoryBefore = usedMemory();
        this.hosts = hosts;
        this.blockBytes = blockBytes;
        this.network = network;
        this.host = host;
        final int nPes = (int)count;
        final SystemAreaDescriptor descriptor =
            TeamAreaDescriptor.systemArea(new Placement(nPes, pesOfHost, hosts));
        final long arenaOffset = BitUtil.align(descriptor.length(), SparseMemory.PAGE_LENGTH);
        final long systemLength =
            arenaOffset + BitUtil.align(new TeamAreaDescriptor(nPes).length(), SparseMemory.PAGE_LENGTH);
        final long heapLength = 2 * count * blockBytes;
        directory = JobDirectory.create(JobDirectory.defaultRoot(), nPes, TOKEN, JobDirectory.SIMULATED);
        pes = new LargeJobPe[nPes];
        try
        {
            memory = new SparseMemory(directory.path(), nPes, systemLength + heapLength);
            spaces = spaces(systemLength, heapLength);
            final JoinRecord[] records = records(pesOfHost, systemLength, heapLength);
            hostOf = JoinRecord.hosts(records);
            connect(records, arenaOffset, descriptor.teamAreaOffset(PredefinedTeam.WORLD));
        }
        catch (final RuntimeException | Error ex)
        {
            CloseHelper.closeAll(directory::delete, directory);
            throw ex;
        }
    }

    /** Returns the limit of the length of a block in a job, in bytes. */
    public static long maxBlockBytes(final int pes)
    {
        return Integer.MAX_VALUE / 4 / pes & -Long.BYTES;
    }

    private MemorySpace[] spaces(final long systemLength, final long heapLength)
    {
        final long[] systemAddresses = new long[pes.length];
        final long[] heapAddresses = new long[pes.length];
        final PathKind[] paths = new PathKind[pes.length];
        Arrays.fill(paths, PathKind.MAPPED);
        for (int pe = 0; pe < pes.length; pe++)
        {
            systemAddresses[pe] = memory.address(pe);
            heapAddresses[pe] = memory.address(pe) + systemLength;
        }

        final MemorySpace[] table = new MemorySpace[2];
        table[Region.SYSTEM] = new MemorySpace(systemLength, systemAddresses, paths);
        table[Region.USER] = new MemorySpace(heapLength, heapAddresses, paths);
        return table;
    }

    private JoinRecord[] records(final int pesOfHost, final long systemLength, final long heapLength)
    {
        final JoinRecord[] records = new JoinRecord[pes.length];
        for (int pe = 0; pe < records.length; pe++)
        {
            final String node = "host-" + pe / pesOfHost;
            records[pe] = new JoinRecord(
                pe, 0, TransportMode.AUTO, heapLength, systemLength, node, node, "", "", "", 0);
        }

        return records;
    }

    private void connect(final JoinRecord[] records, final long arenaOffset, final long worldArea)
    {
        final JobProcess process =
            new JobProcess(directory, "simulation", new int[]{0}, null, new VirtualClock());
        final Transport own = new MappedTransport(spaces, memory, null);
        final Settings settings = new Settings();
        AlgorithmSettings.read(settings);
        final AlgorithmSettings algorithms = new AlgorithmSettings(settings);
        final int[] worldPes = new int[pes.length];
        Arrays.setAll(worldPes, (pe) -> pe);
        final long[] areas = new long[pes.length];
        Arrays.fill(areas, worldArea);
        Topology topology = null;
        for (int pe = 0; pe < pes.length; pe++)
        {
            final LinkTransport link = new LinkTransport(this, pe);
            final Transport[] transports = new Transport[pes.length];
            Arrays.fill(transports, link);
            transports[pe] = own;
            final Endpoint endpoint =
                Endpoint.of(process, pe, arenaOffset, spaces, transports, records, hostOf);
            topology = null == topology ? new Topology(endpoint, worldPes) : topology;
            pes[pe] = new LargeJobPe(this, pe, endpoint, algorithms, topology, worldPes, areas);
        }
    }

    /** Returns the number of PEs. */
    public int pes()
    {
        return pes.length;
    }

    int hosts()
    {
        return hosts;
    }

    long blockBytes()
    {
        return blockBytes;
    }

    /** Returns the offset of dest among the operands. */
    long destOffset()
    {
        return pes.length * blockBytes;
    }

    LargeJobPe pe(final int pe)
    {
        return pes[pe];
    }

    /** Returns the address in this process of the memory of a PE. */
    long address(final int pe, final int region, final long offset)
    {
        return spaces[region].addresses()[pe] + offset;
    }

    /**
     * Performs an operation on all PEs, which begin it at once, and checks its result.
     *
     * @throws IllegalArgumentException if the operation does not admit so many PEs.
     * @throws IllegalStateException    if PEs wait in vain, or a result is wrong.
     */
    public Figures run(final Operation operation)
    {
        if (Operation.ALLTOALL == operation && pes.length > Operation.MAX_ALLTOALL)
        {
            throw new IllegalArgumentException(
                operation + " is for up to " + Operation.MAX_ALLTOALL + " PEs: pes=" + pes.length);
        }

        nowNs = 0;
        for (final LargeJobPe pe : pes)
        {
            operation.prepare(pe);
        }

        for (final LargeJobPe pe : pes)
        {
            pe.begin(operation);
        }

        for (Message next = underWay.poll(); null != next; next = underWay.poll())
        {
            deliver(next);
        }

        for (final LargeJobPe pe : pes)
        {
            if (!pe.isDone())
            {
                throw new IllegalStateException(
                    "PE " + pe.pe + " of " + pes.length + " waits in " + operation + ", and no message is under way");
            }

            operation.verify(pe);
        }

        final Figures figures = figures(operation);
        for (final LargeJobPe pe : pes)
        {
            pe.closeTeam();
        }

        return figures;
    }

    private Figures figures(final Operation operation)
    {
        int rounds = 0;
        long total = 0;
        long bytes = 0;
        long maxSent = 0;
        long maxReceived = 0;
        long maxSentBytes = 0;
        long timeNs = 0;
        int touchedPages = 0;
        for (final LargeJobPe pe : pes)
        {
            rounds = Math.max(rounds, pe.doneRounds());
            total += pe.sent;
            bytes += pe.sentBytes;
            maxSent = Math.max(maxSent, pe.sent);
            maxReceived = Math.max(maxReceived, pe.received);
            maxSentBytes = Math.max(maxSentBytes, pe.sentBytes);
            timeNs = Math.max(timeNs, pe.doneNs());
            touchedPages = Math.max(touchedPages, memory.touchedPages(pe.pe));
        }

        return new Figures(
            pes.length,
            hosts,
            operation,
            String.join("+", pes[0].algorithms()),
            rounds,
            total,
            bytes,
            pes[0].bound(),
            maxSent,
            maxReceived,
            maxSentBytes,
            timeNs,
            (long)touchedPages * SparseMemory.PAGE_LENGTH,
            (usedMemory() - memoryBefore) / pes.length);
    }

    /** Returns the bytes of the JVM's heap and direct memory that are in use after a collection. */
    private static long usedMemory()
    {
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        for (final BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class))
        {
            used += "direct".equals(pool.getName()) ? pool.getMemoryUsed() : 0;
        }

        return used;
    }

    /** Returns a message of a kind, to be filled in and sent. */
    Message message(final int kind, final int target)
    {
        final Message known = unused.poll();
        final Message message = null == known ? new Message() : known;
        message.kind = kind;
        message.target = target;
        message.length = 0;
        message.signalAddress = 0;
        return message;
    }

    /** Returns a message that stores a block, whose bytes are copied. */
    Message put(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        final Message message = message(Message.PUT, pe);
        message.address = address(pe, region, offset);
        read(message, base, address, length);
        return message;
    }

    private static void read(final Message message, final Object base, final long address, final long length)
    {
        message.length = length;
        if (message.block.length < length)
        {
            message.block = new byte[Math.toIntExact(length)];
        }

        UnsafeApi.copyMemory(base, address, message.block, BYTES_BASE, length);
    }

    /** Sends a message of a PE. */
    void send(final LargeJobPe source, final Message message, final long bytes)
    {
        final boolean isLocal = hostOf[source.pe] == hostOf[message.target];
        final Link link = isLocal ? host : network;
        final long bytesNs = (long)(bytes * link.byteNs());
        final long startNs = Math.max(source.clockNs, isLocal ? source.hostFreeNs : source.networkFreeNs);
        final long freeNs = startNs + Math.max(link.gapNs(), bytesNs);
        if (isLocal)
        {
            source.hostFreeNs = freeNs;
        }
        else
        {
            source.networkFreeNs = freeNs;
        }

        // a reply is the owner's part of a get, which takes none of its program's time
        if (Message.REPLY != message.kind)
        {
            source.clockNs = startNs + link.overheadNs();
        }

        message.source = source.pe;
        message.rounds = source.rounds + 1;
        message.number = messages++;
        message.arrivalNs = startNs + link.overheadNs() + bytesNs + link.latencyNs();
        source.sent++;
        source.sentBytes += bytes;
        underWay.add(message);
    }

    private void deliver(final Message message)
    {
        final LargeJobPe target = pes[message.target];
        nowNs = message.arrivalNs;
        target.received++;
        if (Message.GET == message.kind)
        {
            reply(target, message);
        }
        else
        {
            store(message);
            final Link link = hostOf[message.source] == hostOf[message.target] ? host : network;
            target.receive(message, link.overheadNs());
        }

        message.dest = null;
        message.pending = null;
        unused.push(message);
    }

    private void reply(final LargeJobPe owner, final Message request)
    {
        final Message reply = message(Message.REPLY, request.source);
        read(reply, null, request.address, request.length);
        reply.dest = request.dest;
        reply.destAddress = request.destAddress;
        reply.pending = request.pending;
        final long clockNs = owner.clockNs;
        final int rounds = owner.rounds;
        owner.clockNs = nowNs;
        owner.rounds = request.rounds;
        send(owner, reply, reply.length);
        owner.clockNs = clockNs;
        owner.rounds = rounds;
    }

    private void store(final Message message)
    {
        if (Message.REPLY == message.kind)
        {
            UnsafeApi.copyMemory(message.block, BYTES_BASE, message.dest, message.destAddress, message.length);
            message.pending.end();
            return;
        }

        if (message.length > 0)
        {
            UnsafeApi.copyMemory(message.block, BYTES_BASE, null, message.address, message.length);
            touch(message.target, message.address, message.length);
        }

        if (0 != message.signalAddress)
        {
            final long value = SignalOperation.ADD == message.signalOperation ?
                UnsafeApi.getLong(message.signalAddress) + message.value : message.value;
            UnsafeApi.putLongRelease(null, message.signalAddress, value);
            touch(message.target, message.signalAddress, Long.BYTES);
        }
    }

    private void touch(final int pe, final long address, final long length)
    {
        if (address < spaces[Region.USER].addresses()[pe])
        {
            memory.touch(pe, address, length);
        }
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(memory, directory::delete, directory);
    }

    /** The clock of the messages; the tasks of collectives do not pause. */
    private final class VirtualClock extends Pause
    {
        @Override
        public long nanoTime()
        {
            return nowNs;
        }

        @Override
        public int polls(final int most)
        {
            return 0;
        }
    }
}
