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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static io.aeroshmem.transport.job.ControlDescriptor.*;

/**
 * The mapped {@code control} file of a job: the state that the processes of this host share without messages.
 * {@link ControlDescriptor} describes its layout. Failures are reported through it, so a stuck stream cannot delay
 * them.
 */
public final class ControlFile
{
    /** Maximum length of a join record in bytes. */
    public static final int RECORD_CAPACITY = ControlDescriptor.RECORD_CAPACITY;

    private static final int NO_PREVIOUS_PE = -1;
    private static final int FAILURE_EMPTY = 0;
    static final int FAILURE_CLAIMED = 1;
    private static final long CLAIM_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int MAX_DESCRIBED = 64;
    /** The failure word of jobs that have failed and are unmapped. */
    private static final UnsafeBuffer FAILED = new UnsafeBuffer(ByteBuffer.allocateDirect(Long.BYTES));
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    /*
     * Writers. The file has a header, a cell for each PE and one for the creator of the job. A cell is a page that one
     * process writes. Three words of the header have more than one writing process: the failure word, the state of the
     * driver (DriverState) and the state of the successor (SuccessorState). The successor is the job that the processes
     * join when they initialise again after this job. Every other word of the file is written by one process.
     * - The creator writes the header, and the failure of the previous generation, before any other process of the job
     *   knows the file. Afterwards only the three words and the texts of the driver and of the successor change. The
     *   creator writes each text once.
     * - The failure word moves once, from 0. Any process may move it, by compare-and-set.
     * - A PE moves the state of the driver or of the successor to WANTED, by compare-and-set. Only the creator moves
     *   these states to any other value, by a volatile store.
     * - The process of a PE of this node writes the cell of that PE. The replicator thread of this node writes the
     *   cells of the PEs of other nodes. The creator writes the last cell, which is its own.
     *
     * Ordering. A writer stores data by plain stores, and then publishes the data by a release store (or a
     * compare-and-set) of a word. A reader loads that word with acquire, and then reads the data by plain loads. The
     * publishing words are:
     * - the magic, for the header;
     * - a nonzero generation, for the failure of the previous one;
     * - a nonzero pid, for pid, start time, lock name, host and log;
     * - the first phase other than ABSENT, for the join record; LISTENING publishes the completed record again;
     * - the driver state FAILED, for the driver's message;
     * - the successor state READY or FAILED, for the successor's text;
     * - the failure word, for the cause of a failure.
     * Published data is not written again, so no reader sees a partially written text. The join record is an exception:
     * its PE completes it while it has no readers, see record(int, DirectBuffer, int, int). Heartbeats and the values
     * of counters publish nothing, so opaque access suffices. PeActivities has an ordering of its own.
     *
     * Counters. Each PE has the counters of PeCounter, in the layout of Agrona's CountersReader. The ids of the
     * counters are fixed, so no id is allocated while the job runs, and no process writes to another's counters. The
     * process of the PE writes the label and the type id of each counter once, when it registers. The record state in
     * the metadata of the counter publishes them. Viewers need readCounters only.
     *
     * Failure. A reporter claims the failure fields of its own cell, writes the cause there, and moves the failure word
     * from 0 to its cell number + 1. The first reporter that moves the failure word wins, and the causes of later ones
     * are not read. Two threads of a process may report through one cell. The claim, a compare-and-set, selects one of
     * them. The other waits for the failure word and, if it stays 0, moves it to a value that is reported as damage. If
     * a process dies between these steps, the failure word stays 0, and another process reports the death.
     *
     * The mapping is released when this object becomes unreachable, or by unmap(). Thread-safe.
     */
    private final UnsafeBuffer buffer;
    private long failureWordAddress;
    private final int nPes;
    private final long token;
    private final PeActivities activities;
    private final List<Runnable> unmapListeners = new CopyOnWriteArrayList<>();
    private Pause pause = Pause.SYSTEM;

    private ControlFile(final UnsafeBuffer buffer, final int nPes)
    {
        this.buffer = buffer;
        this.failureWordAddress = buffer.addressOffset() + FAILURE_WORD_OFFSET;
        this.nPes = nPes;
        this.token = buffer.getLong(TOKEN_OFFSET);
        this.activities = new PeActivities(buffer);
    }

    static
    {
        FAILED.putLong(0, 1);
    }

    /** Adds what {@link #unmap()} runs, for holders of the {@linkplain #failureWordAddress() address}. */
    public void onUnmapped(final Runnable listener)
    {
        unmapListeners.add(listener);
    }

    /**
     * Unmaps the file of a job that has failed, and keeps a copy of it, from which the methods that read still answer.
     * Called when no thread can be in a call; those that begin later find the job ended.
     */
    public void unmap()
    {
        final ByteBuffer mapped = buffer.byteBuffer();
        if (null != mapped)
        {
            final byte[] copy = new byte[buffer.capacity()];
            buffer.getBytes(0, copy);
            failureWordAddress = FAILED.addressOffset();
            buffer.wrap(copy);
            unmapListeners.forEach(Runnable::run);
            IoUtil.unmap((MappedByteBuffer)mapped);
        }
    }

    /** Replaces the clocks and pauses of this process. Called before others use the file. */
    public void pause(final Pause newPause)
    {
        pause = newPause;
    }

    /** Returns the time on the clock of the heartbeats, in milliseconds since the epoch. */
    long time()
    {
        return pause.time();
    }

    /** Creates and maps the control file of a new job. */
    static ControlFile create(final Path file, final int nPes, final long token, final int creatorPe) throws IOException
    {
        final int length = fileLength(nPes);
        final UnsafeBuffer buffer;
        try (FileChannel channel = PrivateFiles.create(file))
        {
            PrivateFiles.reserve(channel, length);
            buffer = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, length));
        }

        final ProcessIdentity creator = ProcessIdentity.current();
        buffer.putInt(VERSION_OFFSET, VERSION);
        buffer.putInt(N_PES_OFFSET, nPes);
        buffer.putLong(TOKEN_OFFSET, token);
        buffer.putLong(CREATOR_PID_OFFSET, creator.pid());
        buffer.putLong(CREATOR_START_TIME_OFFSET, creator.startTime());
        buffer.putInt(CREATOR_PE_OFFSET, creatorPe);
        buffer.putLong(CREATED_OFFSET, System.currentTimeMillis());
        buffer.putLong(FILE_LENGTH_OFFSET, length);
        buffer.putLongRelease(MAGIC_OFFSET, MAGIC);

        return new ControlFile(buffer, nPes);
    }

    /** Opens and maps an existing control file, which the user {@code uid} must own, and validates its header. */
    static ControlFile open(final Path file, final long uid) throws IOException
    {
        return open(file, uid, FileChannel.MapMode.READ_WRITE);
    }

    /** As above; of a file that is mapped read-only, only methods that read may be called. */
    static ControlFile open(final Path file, final long uid, final FileChannel.MapMode mode) throws IOException
    {
        final UnsafeBuffer buffer = map(file, uid, mode);

        return new ControlFile(buffer, buffer.getInt(N_PES_OFFSET));
    }

    /**
     * Returns the counters of a job by PE, mapped read-only, for viewers; those of a PE that has not registered on this
     * node are empty. They stay readable when the job has ended.
     *
     * @param directory of the job, see {@link JobDirectory#path()}.
     * @throws IOException        if its control file cannot be read.
     * @throws TransportException if that is not one of this version.
     */
    public static CountersReader[] readCounters(final Path directory) throws IOException
    {
        final UnsafeBuffer buffer = map(
            directory.resolve(JobDirectory.CONTROL), PrivateFiles.currentUid(), FileChannel.MapMode.READ_ONLY);
        final int nPes = buffer.getInt(N_PES_OFFSET);
        final CountersReader[] readers = new CountersReader[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            readers[pe] = new CountersReader(metadata(buffer, nPes, pe), values(buffer, nPes, pe));
        }

        return readers;
    }

    private static UnsafeBuffer metadata(final UnsafeBuffer buffer, final int nPes, final int pe)
    {
        return new UnsafeBuffer(buffer, countersOffset(nPes, pe), COUNTER_METADATA_LENGTH);
    }

    private static UnsafeBuffer values(final UnsafeBuffer buffer, final int nPes, final int pe)
    {
        return new UnsafeBuffer(
            buffer, countersOffset(nPes, pe) + COUNTER_METADATA_LENGTH, COUNTER_VALUES_LENGTH);
    }

    private static UnsafeBuffer map(final Path file, final long uid, final FileChannel.MapMode mode) throws IOException
    {
        final long length;
        final UnsafeBuffer buffer;
        try (FileChannel channel = PrivateFiles.open(file, uid))
        {
            length = channel.size();
            if (length < fileLength(1) || length > fileLength(MAX_PES))
            {
                throw new TransportException("control file length must be " + fileLength(1) + " to " +
                    fileLength(MAX_PES) + " bytes: length=" + length + " file=" + file +
                    "; the job is incomplete or of another version");
            }

            buffer = new UnsafeBuffer(channel.map(mode, 0, length));
        }

        final long magic = buffer.getLongAcquire(MAGIC_OFFSET);
        final int version = buffer.getInt(VERSION_OFFSET);
        if (MAGIC != magic || VERSION != version)
        {
            throw new TransportException("control file must have version " + VERSION + ": magic=" +
                Long.toHexString(magic) + " version=" + version + " file=" + file +
                "; all processes of a job must use the same AeroSHMEM");
        }

        final int nPes = buffer.getInt(N_PES_OFFSET);
        if (nPes < 1 || nPes > MAX_PES || fileLength(nPes) != length || 0 == buffer.getLong(TOKEN_OFFSET))
        {
            throw new TransportException(file + " is damaged: " + length + " bytes for " + nPes + " PEs");
        }

        return buffer;
    }

    /** Returns the number of PEs of the job on all hosts, 1 to 65536. */
    public int nPes()
    {
        return nPes;
    }

    /** Returns the 64-bit token of the job, which every frame carries; never 0. */
    public long token()
    {
        return token;
    }

    /** Returns the pid of the process that created the job. */
    public long creatorPid()
    {
        return buffer.getLong(CREATOR_PID_OFFSET);
    }

    /** Returns the start time of the creator's process in milliseconds since the epoch, 0 if unknown. */
    public long creatorStartTime()
    {
        return buffer.getLong(CREATOR_START_TIME_OFFSET);
    }

    /**
     * Returns the PE whose process created this node's part of the job, so that both end together; {@link
     * JobDirectory#NO_PE} for a launcher or a process that runs all PEs, {@link JobDirectory#SIMULATED} for a world.
     */
    public int creatorPe()
    {
        return buffer.getInt(CREATOR_PE_OFFSET);
    }

    /** Returns the time of creation in milliseconds since the epoch. */
    public long createdTime()
    {
        return buffer.getLong(CREATED_OFFSET);
    }

    /**
     * Publishes that this job is a later generation of a recoverable job, and the failure that ended the previous one;
     * creator only, before it starts the PEs.
     *
     * @param generation 1 or more.
     */
    public void generation(final int generation, final JobFailure previousFailure)
    {
        putFailure(PREVIOUS_FAILURE_OFFSET, previousFailure);
        buffer.putIntRelease(GENERATION_OFFSET, generation);
    }

    /** Publishes as above, with the failure of the previous generation, and {@link #follow follows} it. */
    public void generation(final int generation, final ControlFile previous)
    {
        follow(previous);
        generation(generation, previous.failure());
    }

    /**
     * Publishes which numbers the PEs of this generation had in the previous one; creator only, before it starts or
     * notifies the PEs.
     *
     * @param previousPes their numbers there, -1 for one that was not in it.
     */
    public void renumber(final ControlFile previous, final int... previousPes)
    {
        buffer.putInt(FIRST_N_PES_OFFSET, previous.firstNPes());
        final BitSet taken = new BitSet();
        Arrays.stream(previousPes).filter((pe) -> pe >= 0).forEach((pe) -> taken.set(previous.memory(pe)));
        for (int pe = 0; pe < nPes; pe++)
        {
            final boolean isAdded = previousPes[pe] < 0;
            final int memory = isAdded ? taken.nextClearBit(0) : previous.memory(previousPes[pe]);
            taken.set(memory);
            buffer.putInt(peCell(pe) + PREVIOUS_PE_OFFSET, isAdded ? NO_PREVIOUS_PE : previousPes[pe] + 1);
            buffer.putInt(peCell(pe) + MEMORY_OFFSET, memory + 1);
        }
    }

    /**
     * Publishes the PEs of the previous generation whose processes died with the one whose failure ended it, each with
     * the exit code of its process; creator only, before {@link #generation(int, JobFailure)}. There is room for 127.
     */
    public void lost(final Map<Integer, Integer> exitCodeByPe)
    {
        int offset = LOST_OFFSET + Integer.BYTES;
        int count = 0;
        for (final Map.Entry<Integer, Integer> lost : exitCodeByPe.entrySet())
        {
            if (count < MAX_LOST)
            {
                buffer.putInt(offset, lost.getKey());
                buffer.putInt(offset + Integer.BYTES, lost.getValue());
                offset += 2 * Integer.BYTES;
                count++;
            }
        }

        buffer.putInt(LOST_OFFSET, count);
    }

    /** Returns the exit codes of the PEs that died with the one whose failure ended the previous generation. */
    public Map<Integer, Integer> lost()
    {
        final Map<Integer, Integer> exitCodeByPe = new TreeMap<>();
        final int count = 0 == generation() ? 0 : Math.max(0, Math.min(MAX_LOST, buffer.getInt(LOST_OFFSET)));
        for (int i = 0; i < count; i++)
        {
            final int offset = LOST_OFFSET + Integer.BYTES + 2 * Integer.BYTES * i;
            exitCodeByPe.put(buffer.getInt(offset), buffer.getInt(offset + Integer.BYTES));
        }

        return exitCodeByPe;
    }

    /** Returns the number that a PE had in the previous generation; -1 in generation 0, and if it was not in it. */
    public int previousPe(final int pe)
    {
        final int number = buffer.getInt(peCell(pe) + PREVIOUS_PE_OFFSET);
        return 0 == generation() || NO_PREVIOUS_PE == number ? -1 : 0 == number ? pe : number - 1;
    }

    /**
     * Returns the number by which the file of a PE's retained memory is known, in all generations: the one that the PE
     * had in the first of them, or a free one if it was added later.
     */
    public int memory(final int pe)
    {
        final int number = buffer.getInt(peCell(pe) + MEMORY_OFFSET);
        return 0 == number ? pe : number - 1;
    }

    /** Returns the number of PEs of generation 0. */
    public int firstNPes()
    {
        final int number = buffer.getInt(FIRST_N_PES_OFFSET);
        return 0 == number ? nPes : number;
    }

    /** Records when the failure of the previous generation was reported, and that the PEs of this one are known now. */
    public void follow(final ControlFile previous)
    {
        endPhase(creatorCell(), RecoveryPhase.DETECTED, previous.failureTime());
        endPhase(creatorCell(), RecoveryPhase.MEMBERS_KNOWN, pause.time());
    }

    /** Returns the number of this generation of the job: 0 unless another one has failed before; acquire. */
    public int generation()
    {
        return buffer.getIntAcquire(GENERATION_OFFSET);
    }

    /** Returns the failure that ended the previous generation, or null in generation 0. */
    public JobFailure previousFailure()
    {
        return 0 == generation() ? null : failure(PREVIOUS_FAILURE_OFFSET);
    }

    /**
     * Records the end of a phase of the recovery that began this generation, in milliseconds since the epoch; opaque.
     * Called by the process of the cell: that of a PE, or {@link #creatorCell()}.
     */
    public void endPhase(final int cell, final RecoveryPhase phase, final long epochMs)
    {
        buffer.putLongOpaque(phaseEndOffset(cell, phase), epochMs);
    }

    /** Records that a phase of the recovery that began this generation ends now, if a recovery did. */
    public void endPhase(final int cell, final RecoveryPhase phase)
    {
        if (0 != generation())
        {
            endPhase(cell, phase, pause.time());
        }
    }

    /** Returns the end of a phase of the recovery, in milliseconds since the epoch; 0 if it is not known. */
    long phaseEnd(final int cell, final RecoveryPhase phase)
    {
        return buffer.getLongOpaque(phaseEndOffset(cell, phase));
    }

    private int phaseEndOffset(final int cell, final RecoveryPhase phase)
    {
        return anyCell(cell) + RECOVERY_TIMES_OFFSET + phase.ordinal() * Long.BYTES;
    }

    /**
     * Returns the number of the creator's cell, {@link #nPes()}: it reports failures and has a phase and a heartbeat as
     * the PEs do.
     */
    public int creatorCell()
    {
        return nPes;
    }

    /**
     * Registers the process of a PE. From here on the end of that process is detected, so it must hold its lock (see
     * {@link JobDirectory#lockProcess(String)}) before it registers. Called once per PE, by its process; throws an
     * {@link IllegalStateException} if the PE is registered already.
     */
    public void register(final int pe, final long pid, final long startTimeMs, final String lockName)
    {
        final int cell = peCell(pe);
        if (pid <= 0 || !JobDirectory.isProcessLock(lockName))
        {
            throw new IllegalArgumentException("pid must be > 0 and lockName must be proc-<id>.lock: pid=" + pid +
                " lockName=" + lockName);
        }

        if (0 != buffer.getLongAcquire(cell + PID_OFFSET))
        {
            throw new IllegalStateException("PE " + pe + " of this job is already registered by pid " + pid(pe) +
                " on " + hostName(pe));
        }

        buffer.putLong(cell + START_TIME_OFFSET, startTimeMs);
        BoundedText.put(buffer, cell + LOCK_NAME_LENGTH_OFFSET, cell + LOCK_NAME_OFFSET,
            BoundedText.encode(lockName, LOCK_NAME_CAPACITY));
        BoundedText.put(buffer, cell + HOST_NAME_LENGTH_OFFSET, cell + HOST_NAME_OFFSET,
            BoundedText.encode(HostName.local(), HOST_NAME_CAPACITY));
        BoundedText.put(buffer, cell + LOG_LENGTH_OFFSET, cell + LOG_OFFSET,
            BoundedText.encode(ProcessLog.current(), LOG_CAPACITY));
        labelCounters(pe);
        buffer.putLongRelease(cell + HEARTBEAT_OFFSET, pause.time());
        buffer.putLongRelease(cell + PID_OFFSET, pid);
    }

    private void labelCounters(final int pe)
    {
        final UnsafeBuffer metadata = metadata(buffer, nPes, pe);
        // A process that ended here may have labelled some.
        metadata.setMemory(0, metadata.capacity(), (byte)0);
        final CountersManager manager = new CountersManager(metadata, values(buffer, nPes, pe));
        for (final PeCounter counter : PeCounter.values())
        {
            manager.allocate(counter.label(pe), counter.typeId());
        }
    }

    /**
     * Returns the pid of the process of a PE on its own host, or 0 before the PE has registered or been mirrored here.
     * Acquire: start time, lock name and host can be read once it is nonzero.
     */
    public long pid(final int pe)
    {
        return buffer.getLongAcquire(peCell(pe) + PID_OFFSET);
    }

    /**
     * Returns when the process of a PE started, in milliseconds since the epoch; 0 before registration or if unknown.
     */
    public long startTime(final int pe)
    {
        return 0 == pid(pe) ? 0 : buffer.getLong(peCell(pe) + START_TIME_OFFSET);
    }

    /**
     * Returns the file name of the lock that the process of a PE holds while it lives; empty before registration and
     * for a PE of another node.
     */
    public String lockName(final int pe)
    {
        final int cell = peCell(pe);

        return 0 == pid(pe) ? "" :
            BoundedText.get(buffer, cell + LOCK_NAME_LENGTH_OFFSET, cell + LOCK_NAME_OFFSET, LOCK_NAME_CAPACITY);
    }

    /** Returns the name of the host or container in which a PE registered; empty before registration. */
    public String hostName(final int pe)
    {
        final int cell = peCell(pe);

        return 0 == pid(pe) ? "" :
            BoundedText.get(buffer, cell + HOST_NAME_LENGTH_OFFSET, cell + HOST_NAME_OFFSET, HOST_NAME_CAPACITY);
    }

    /**
     * Returns where the process of a PE writes its log, see {@link ProcessLog#current()}; empty before registration.
     */
    public String log(final int pe)
    {
        final int cell = peCell(pe);

        return 0 == pid(pe) ? "" :
            BoundedText.get(buffer, cell + LOG_LENGTH_OFFSET, cell + LOG_OFFSET, LOG_CAPACITY);
    }

    /**
     * Returns whether {@link #mirror} wrote the cell of a PE: the PE lives on another node, and no lock on this node
     * shows its death.
     */
    public boolean isMirrored(final int pe)
    {
        return 0 != pid(pe) && 0 == buffer.getInt(peCell(pe) + LOCK_NAME_LENGTH_OFFSET);
    }

    /**
     * Writes the cell of a PE of another node. The first call writes the identity of its process; a record that is not
     * empty replaces the previous one; then the phase is stored with release, so that a reader that sees the phase sees
     * the record. A phase that is not later than the current one changes nothing, so calls may be repeated.
     * <p>
     * Called by one thread of this node for all PEs of other nodes, and never for a PE that registers here. The record
     * is replaced under the rule of {@link #record(int, DirectBuffer, int, int)}: a PE completes its record only after
     * all PEs of all nodes are {@link PePhase#EXCHANGED}, when there are no readers.
     */
    public void mirror(
        final int pe,
        final long pid,
        final long startTimeMs,
        final String host,
        final String log,
        final int phase,
        final DirectBuffer record,
        final int recordOffset,
        final int recordLength)
    {
        final int cell = peCell(pe);
        if (pid <= 0 || phase < PePhase.ABSENT || phase > PePhase.CLOSED ||
            recordLength < 0 || recordLength > RECORD_CAPACITY)
        {
            throw new IllegalArgumentException("pid must be > 0, phase 0 to " + PePhase.CLOSED +
                ", recordLength 0 to " + RECORD_CAPACITY +
                ": pe=" + pe + " pid=" + pid + " phase=" + phase + " recordLength=" + recordLength);
        }

        if (0 == buffer.getLongAcquire(cell + PID_OFFSET))
        {
            buffer.putLong(cell + START_TIME_OFFSET, startTimeMs);
            buffer.putInt(cell + LOCK_NAME_LENGTH_OFFSET, 0);
            BoundedText.put(buffer, cell + HOST_NAME_LENGTH_OFFSET, cell + HOST_NAME_OFFSET,
                BoundedText.encode(host, HOST_NAME_CAPACITY));
            BoundedText.put(buffer, cell + LOG_LENGTH_OFFSET, cell + LOG_OFFSET,
                BoundedText.encode(log, LOG_CAPACITY));
            buffer.putLongRelease(cell + PID_OFFSET, pid);
        }
        else if (!isMirrored(pe))
        {
            throw new IllegalStateException("a PE of this node cannot be mirrored: pe=" + pe + " pid=" + pid(pe));
        }

        heartbeat(pe, pause.time());
        if (phase > phase(pe))
        {
            if (recordLength > 0)
            {
                buffer.putBytes(cell + RECORD_OFFSET, record, recordOffset, recordLength);
                buffer.putInt(cell + RECORD_LENGTH_OFFSET, recordLength);
            }

            buffer.putIntRelease(cell + PHASE_OFFSET, phase);
        }
    }

    /**
     * Returns the phase of a PE, or of the creator (cell {@link #creatorCell()}). Acquire: what the PE wrote before it
     * announced that phase can be read.
     */
    public int phase(final int pe)
    {
        final int phase = buffer.getIntAcquire(anyCell(pe) + PHASE_OFFSET);
        if (phase < PePhase.ABSENT || phase > PePhase.CLOSED)
        {
            throw new TransportException("phase must be " + PePhase.ABSENT + " to " + PePhase.CLOSED + ": PE " + pe +
                " phase=" + phase + "; the control file is damaged");
        }

        return phase;
    }

    /** Returns the name of the phase of a PE, or its number if the file is damaged; for viewers. */
    String phaseName(final int pe)
    {
        return PePhase.name(buffer.getIntAcquire(peCell(pe) + PHASE_OFFSET));
    }

    /**
     * Moves a PE, or the creator, to a later phase; release. Called only by its own process; throws an
     * {@link IllegalStateException} if the phase would decrease.
     */
    public void phase(final int pe, final int phase)
    {
        final int offset = anyCell(pe) + PHASE_OFFSET;
        final int present = buffer.getIntAcquire(offset);
        if (phase < present)
        {
            throw new IllegalStateException("phase of PE " + pe + " must not decrease: from " + PePhase.name(present) +
                " to " + PePhase.name(phase));
        }

        buffer.putIntRelease(offset, phase);
    }

    /**
     * Writes a PE's join record. Others read it when the PE has moved to {@link PePhase#RECORDED}, and again, completed
     * with its endpoints, when it has moved to {@link PePhase#LISTENING}. In between, when all PEs have moved to
     * {@link PePhase#EXCHANGED}, there are no readers and the PE may write.
     */
    public void record(final int pe, final DirectBuffer source, final int offset, final int length)
    {
        final int cell = peCell(pe);
        if (length < 0 || length > RECORD_CAPACITY)
        {
            throw new IllegalArgumentException("join record length must be 0 to " + RECORD_CAPACITY +
                ": length=" + length);
        }

        if (PePhase.ABSENT != phase(pe) && PePhase.EXCHANGED != phase(pe))
        {
            throw new IllegalStateException("join record cannot change in phase " + PePhase.name(phase(pe)) +
                ": pe=" + pe);
        }

        buffer.putBytes(cell + RECORD_OFFSET, source, offset, length);
        buffer.putInt(cell + RECORD_LENGTH_OFFSET, length);
    }

    /**
     * Copies a PE's join record into a buffer with room for {@link #RECORD_CAPACITY} bytes, and returns its length; 0
     * before the PE is {@link PePhase#RECORDED}.
     */
    public int record(final int pe, final MutableDirectBuffer dest, final int offset)
    {
        if (PePhase.ABSENT == phase(pe))
        {
            return 0;
        }

        final int cell = peCell(pe);
        final int length = buffer.getInt(cell + RECORD_LENGTH_OFFSET);
        if (length < 0 || length > RECORD_CAPACITY)
        {
            throw new TransportException("join record length must be 0 to " + RECORD_CAPACITY + ": PE " + pe +
                " length=" + length + "; the control file is damaged");
        }

        dest.putBytes(offset, buffer, cell + RECORD_OFFSET, length);

        return length;
    }

    /** Records a heartbeat of a PE's process, or of the creator. Called only by that process. */
    public void heartbeat(final int pe, final long epochMs)
    {
        buffer.putLongOpaque(anyCell(pe) + HEARTBEAT_OFFSET, epochMs);
    }

    /**
     * Returns the last heartbeat of a PE's process, or of the creator, in milliseconds since the epoch; 0 before the
     * first.
     */
    public long heartbeat(final int pe)
    {
        return buffer.getLongOpaque(anyCell(pe) + HEARTBEAT_OFFSET);
    }

    /**
     * Records that the JVM of a PE began to end while the PE was open; release. If the process then ends before the PE
     * is CLOSED, it was not killed but ended by itself. Called by its own process, and for a PE of another node by the
     * thread that mirrors its state.
     */
    public void ending(final int pe)
    {
        buffer.putIntRelease(peCell(pe) + ENDING_OFFSET, 1);
    }

    /**
     * Returns whether the JVM of a PE began to end while the PE was open; acquire.
     */
    public boolean isEnding(final int pe)
    {
        return 0 != buffer.getIntAcquire(peCell(pe) + ENDING_OFFSET);
    }

    /**
     * Returns a counter of a PE, which only its process writes: opaque where it has one writer at a time, atomic
     * otherwise.
     */
    public AtomicCounter counter(final int pe, final PeCounter counter)
    {
        checkPe(pe);

        return new AtomicCounter(values(buffer, nPes, pe), counter.ordinal());
    }

    /** Returns the calls that PEs are blocked in. */
    public PeActivities activities()
    {
        return activities;
    }

    /**
     * Returns one line on a PE: its phase and the call it is or was last blocked in, such as "PE 1 (pid 4711, host a):
     * RUNNING, blocked in barrier on team WORLD, call 17, since 09:30:00.000 (3000 ms)".
     */
    public String describe(final int pe)
    {
        final long nowMs = pause.time();
        final int phase = phase(pe);
        final StringBuilder text = new StringBuilder("PE ").append(pe);
        if (0 != pid(pe))
        {
            text.append(" (pid ").append(pid(pe)).append(", host ").append(hostName(pe)).append(')');
        }

        text.append(": ").append(PePhase.name(phase));
        final PeActivities.Activity activity = activities.get(pe);
        if (null == activity)
        {
            return text.append(PePhase.RUNNING == phase ? ", in no call that waits" : "").toString();
        }

        final boolean isBlocked = activity.isFresh(nowMs);
        final long atMs = isBlocked ? activity.sinceMs() : activity.seenMs();
        text.append(isBlocked ? ", blocked in " : ", in no call that waits, last in ").append(activity.text());
        if (0 != activity.number())
        {
            text.append(", call ").append(activity.number());
        }

        final String time = Instant.ofEpochMilli(atMs).atZone(ZoneId.systemDefault()).format(TIME);
        return text.append(isBlocked ? ", since " : ", until ").append(time)
            .append(" (").append(Math.max(0, nowMs - atMs)).append(" ms)").toString();
    }

    /** Returns {@link #describe(int)} of the first {@value #MAX_DESCRIBED} PEs, one line each. */
    public String describeAll()
    {
        final StringBuilder text = new StringBuilder();
        for (int pe = 0; pe < Math.min(nPes, MAX_DESCRIBED); pe++)
        {
            text.append(text.isEmpty() ? "  " : "\n  ").append(describe(pe));
        }

        return nPes <= MAX_DESCRIBED ? text.toString() :
            text.append("\n  and ").append(nPes - MAX_DESCRIBED).append(" more PEs").toString();
    }

    /** Returns the {@link DriverState} of the driver that the creator starts on demand; acquire. */
    public int driverState()
    {
        return buffer.getIntAcquire(DRIVER_STATE_OFFSET);
    }

    /** Asks the creator to start a media driver; any PE may ask repeatedly. Returns whether this call was the first. */
    public boolean requestDriver()
    {
        return buffer.compareAndSetInt(DRIVER_STATE_OFFSET, DriverState.NONE, DriverState.WANTED);
    }

    /** Publishes that the driver is ready; creator only. No effect after {@link #driverFailed(String)}. */
    public synchronized void driverReady()
    {
        if (DriverState.FAILED != driverState())
        {
            buffer.putIntVolatile(DRIVER_STATE_OFFSET, DriverState.READY);
        }
    }

    /**
     * Publishes that the driver could not be started or has ended; creator only. The first message is kept, truncated
     * to 2 KiB of UTF-8.
     */
    public synchronized void driverFailed(final String message)
    {
        if (DriverState.FAILED != driverState())
        {
            BoundedText.put(buffer, DRIVER_MESSAGE_LENGTH_OFFSET, DRIVER_MESSAGE_OFFSET,
                BoundedText.encode(message, DRIVER_MESSAGE_CAPACITY));
            buffer.putIntVolatile(DRIVER_STATE_OFFSET, DriverState.FAILED);
        }
    }

    /** Returns the message given to {@link #driverFailed(String)}; null unless the driver failed. */
    public String driverMessage()
    {
        return DriverState.FAILED != driverState() ? null :
            BoundedText.get(buffer, DRIVER_MESSAGE_LENGTH_OFFSET, DRIVER_MESSAGE_OFFSET, DRIVER_MESSAGE_CAPACITY);
    }

    /** Publishes that the creator makes a successor of this job on request; creator only, before it starts the PEs. */
    public void offerSuccessor()
    {
        buffer.putIntVolatile(SUCCESSOR_STATE_OFFSET, SuccessorState.OFFERED);
    }

    /**
     * Asks the creator for the successor of this job, which the PE has left. Any PE may ask repeatedly; no effect where
     * none is offered.
     */
    public void requestSuccessor()
    {
        buffer.compareAndSetInt(SUCCESSOR_STATE_OFFSET, SuccessorState.OFFERED, SuccessorState.WANTED);
    }

    /** Returns the {@link SuccessorState} of the job's successor; acquire. */
    public int successorState()
    {
        return buffer.getIntAcquire(SUCCESSOR_STATE_OFFSET);
    }

    /** Publishes the directory of the successor, at most 1 KiB of UTF-8; creator only, once. */
    public void successorReady(final String directory)
    {
        successor(SuccessorState.READY, directory);
    }

    /** Publishes why the successor could not be made, truncated to 1 KiB of UTF-8; creator only, once. */
    public void successorFailed(final String message)
    {
        successor(SuccessorState.FAILED, message);
    }

    private void successor(final int state, final String text)
    {
        BoundedText.put(
            buffer, SUCCESSOR_LENGTH_OFFSET, SUCCESSOR_OFFSET, BoundedText.encode(text, SUCCESSOR_CAPACITY));
        buffer.putIntVolatile(SUCCESSOR_STATE_OFFSET, state);
    }

    /**
     * Returns the path of the successor's directory in state {@link SuccessorState#READY}, the reason in
     * {@link SuccessorState#FAILED}.
     */
    public String successor()
    {
        return BoundedText.get(buffer, SUCCESSOR_LENGTH_OFFSET, SUCCESSOR_OFFSET, SUCCESSOR_CAPACITY);
    }

    /**
     * Returns whether the job has failed: one acquire load, the check that every wait makes. {@link #failure()} then
     * returns the cause.
     */
    public boolean isFailed()
    {
        return 0 != UnsafeApi.getLongAcquire(null, failureWordAddress);
    }

    /**
     * Reports a failure of the job, through the cell of a PE of this process or {@link #creatorCell()}. Every wait of
     * every PE on this host ends soon after. Returns whether this failure was the first, so that it is the one that all
     * see; on return the job has failed in either case.
     */
    public boolean fail(final int reporter, final JobFailure failure)
    {
        final int cell = anyCell(reporter);
        if (isFailed())
        {
            return false;
        }

        if (!buffer.compareAndSetInt(cell + FAILURE_STATE_OFFSET, FAILURE_EMPTY, FAILURE_CLAIMED))
        {
            awaitOtherReport(cell);
            return false;
        }

        putFailure(cell, failure);
        return buffer.compareAndSetLong(FAILURE_WORD_OFFSET, 0, reporter + 1L);
    }

    private void putFailure(final int cell, final JobFailure failure)
    {
        buffer.putInt(cell + FAILURE_KIND_OFFSET, failure.kind().code());
        buffer.putInt(cell + FAILURE_PE_OFFSET, failure.pe());
        buffer.putInt(cell + FAILURE_STATUS_OFFSET, failure.status());
        buffer.putLong(cell + FAILURE_TIME_OFFSET, pause.time());
        BoundedText.put(buffer, cell + FAILURE_MESSAGE_LENGTH_OFFSET, cell + FAILURE_MESSAGE_OFFSET,
            BoundedText.encode(failure.message(), FAILURE_MESSAGE_CAPACITY));
    }

    /** Returns the first failure that was reported, or null while the job is healthy. */
    public JobFailure failure()
    {
        final long word = buffer.getLongAcquire(FAILURE_WORD_OFFSET);
        if (0 == word)
        {
            return null;
        }

        if (word < 0 || word > nPes + 1L)
        {
            return new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, "failure word must be 0 to " + (nPes + 1) +
                ": failureWord=" + word + "; the control file is damaged");
        }

        return failure(cellOffset((int)word - 1));
    }

    /** Returns when the {@link #failure()} was reported, in milliseconds since the epoch; 0 if there is none. */
    public long failureTime()
    {
        final long word = buffer.getLongAcquire(FAILURE_WORD_OFFSET);
        return word <= 0 || word > nPes + 1L ? 0 : buffer.getLong(cellOffset((int)word - 1) + FAILURE_TIME_OFFSET);
    }

    private JobFailure failure(final int cell)
    {
        final int pe = buffer.getInt(cell + FAILURE_PE_OFFSET);
        return new JobFailure(
            JobFailure.Kind.ofCode(buffer.getInt(cell + FAILURE_KIND_OFFSET)),
            pe < 0 || pe >= (PREVIOUS_FAILURE_OFFSET == cell ? firstNPes() : nPes) ? -1 : pe,
            buffer.getInt(cell + FAILURE_STATUS_OFFSET),
            BoundedText.get(buffer, cell + FAILURE_MESSAGE_LENGTH_OFFSET, cell + FAILURE_MESSAGE_OFFSET,
                FAILURE_MESSAGE_CAPACITY));
    }

    /**
     * Returns the address of the failure word, for loops that poll it: nonzero means failed; to be loaded with acquire.
     * Valid as long as this object is reachable and not {@linkplain #unmap() unmapped}.
     */
    public long failureWordAddress()
    {
        return failureWordAddress;
    }

    @Override
    public String toString()
    {
        final StringBuilder builder = new StringBuilder(64 + 96 * nPes);
        builder.append("ControlFile{nPes=").append(nPes)
            .append(", creatorPid=").append(creatorPid())
            .append(", driver=").append(DriverState.name(driverState()))
            .append(", failure=").append(failure());

        for (int pe = 0; pe < nPes; pe++)
        {
            builder.append("\n  PE ").append(pe)
                .append(": ").append(phaseName(pe))
                .append(" pid=").append(pid(pe))
                .append(" host=").append(hostName(pe))
                .append(" heartbeat=").append(heartbeat(pe));
            for (final PeCounter counter : PeCounter.values())
            {
                final long value = counter(pe, counter).get();
                if (0 != value)
                {
                    builder.append(" '").append(counter).append("'=").append(value);
                }
            }
        }

        return builder.append('}').toString();
    }

    /**
     * Waits for another thread that reports through the same cell and is between its claim and the failure word, a few
     * stores apart: so the job has failed when {@link #fail} returns. A process that ended there leaves its claim, and
     * an unknown state is damage; both fail the job as well.
     */
    private void awaitOtherReport(final int cell)
    {
        final long deadlineNs = pause.nanoTime() + CLAIM_TIMEOUT_NS;
        while (FAILURE_CLAIMED == buffer.getIntVolatile(cell + FAILURE_STATE_OFFSET) && !isFailed() &&
            pause.nanoTime() - deadlineNs < 0)
        {
            pause.yieldThread();
        }

        buffer.compareAndSetLong(FAILURE_WORD_OFFSET, 0, nPes + 2L);
    }

    private int peCell(final int pe)
    {
        checkPe(pe);

        return cellOffset(pe);
    }

    private void checkPe(final int pe)
    {
        if (pe < 0 || pe >= nPes)
        {
            throw new IndexOutOfBoundsException("pe must be 0 to " + (nPes - 1) + ": pe=" + pe);
        }
    }

    private int anyCell(final int pe)
    {
        if (pe < 0 || pe > nPes)
        {
            throw new IndexOutOfBoundsException("cell must be 0 to " + nPes + ": cell=" + pe);
        }

        return cellOffset(pe);
    }
}
