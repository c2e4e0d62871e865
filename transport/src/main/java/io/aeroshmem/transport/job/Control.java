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

import io.aeroshmem.transport.TransportException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;

import static io.aeroshmem.transport.job.ControlDescriptor.COUNTERS_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.CREATED_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.CREATOR_PE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.CREATOR_PID_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.CREATOR_START_TIME_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.DRIVER_MESSAGE_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.DRIVER_MESSAGE_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.DRIVER_MESSAGE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.DRIVER_STATE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ENDING_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_KIND_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_MESSAGE_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_MESSAGE_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_MESSAGE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_PE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_STATE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_STATUS_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FAILURE_WORD_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.FILE_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.HEARTBEAT_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.HOST_NAME_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.HOST_NAME_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.HOST_NAME_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.LOCK_NAME_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.LOCK_NAME_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.LOCK_NAME_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.LOG_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.LOG_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.LOG_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.MAGIC;
import static io.aeroshmem.transport.job.ControlDescriptor.MAGIC_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.MAX_PES;
import static io.aeroshmem.transport.job.ControlDescriptor.N_PES_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.PHASE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.PID_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.RECORD_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.RECORD_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.START_TIME_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.SUCCESSOR_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.SUCCESSOR_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.SUCCESSOR_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.SUCCESSOR_STATE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.TOKEN_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.VERSION;
import static io.aeroshmem.transport.job.ControlDescriptor.VERSION_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.cellOffset;
import static io.aeroshmem.transport.job.ControlDescriptor.fileLength;

/**
 * The mapped {@code control} file of a job: what its processes on this host know of each other without a message. Its
 * layout is in {@link ControlDescriptor}; it is the way that failures take, so that a stuck stream cannot delay them.
 * <p>
 * <b>Who writes what.</b> The header is written by the creator before any other process knows of the file, and never
 * again, but for these: the failure word, which anyone moves once by compare-and-set from 0; the states of the driver
 * and of the successor, which a PE moves to WANTED by compare-and-set and which the creator alone moves further; and
 * the texts of both, which the creator writes once. A PE's cell is written by the process of that PE alone, if it lives
 * on this node; the cell of a PE of another node, by the one thread that mirrors it here. The last cell is written by
 * the creator alone. So no byte but the three compare-and-set words has two writers.
 * <p>
 * <b>Ordering.</b> Everything follows one pattern: plain stores, then a release store (or a compare-and-set) of the
 * word that publishes them; the reader loads that word with acquire and reads the rest plainly. The header is published
 * by its magic; pid, start time, lock name, host and log by a pid that is not 0; the join record by the first phase
 * that is not ABSENT; the driver's message by FAILED; the successor's text by READY or FAILED; a failure's cause by the
 * failure word. Since every publishing word moves at most once for what it publishes, and what it publishes is not
 * written again, no reader ever sees a half-written text. Heartbeats and counters publish nothing and are opaque.
 * <p>
 * <b>Failure.</b> A reporter first claims its own cell (two threads of a process may report at once; the cell's state
 * decides), writes the cause there, then moves the failure word from 0 to its own number + 1. The first wins; those
 * that come later leave a cause nobody reads. A reporter that dies half-way leaves the failure word at 0, and its own
 * death is then reported by another.
 * <p>
 * The mapping goes when this object is no longer reachable; it is never unmapped by hand. Thread-safe.
 */
public final class Control
{
    /**
     * The most bytes of a join record.
     */
    public static final int RECORD_CAPACITY = ControlDescriptor.RECORD_CAPACITY;

    private static final int FAILURE_EMPTY = 0;
    static final int FAILURE_CLAIMED = 1;
    private static final long CLAIM_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_DESCRIBED = 64;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    private final UnsafeBuffer buffer;
    private final long failureWordAddress;
    private final int nPes;
    private final long token;
    private final PeActivities activities;

    private Control(final UnsafeBuffer buffer, final int nPes)
    {
        this.buffer = buffer;
        this.failureWordAddress = buffer.addressOffset() + FAILURE_WORD_OFFSET;
        this.nPes = nPes;
        this.token = buffer.getLong(TOKEN_OFFSET);
        this.activities = new PeActivities(buffer);
    }

    /**
     * Makes the control file of a new job.
     *
     * @param file      to make.
     * @param nPes      PEs of the job.
     * @param token     the job's token, not 0.
     * @param creatorPe see {@link #creatorPe()}.
     * @return the mapped file.
     * @throws IOException if it cannot be made or the file system has not the space.
     */
    static Control create(final Path file, final int nPes, final long token, final int creatorPe) throws IOException
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

        return new Control(buffer, nPes);
    }

    /**
     * Maps the control file of a job that is there.
     *
     * @param file to map.
     * @param uid  the user who has to own it.
     * @return the mapped file.
     * @throws IOException        if it is not there, or cannot be opened or mapped.
     * @throws TransportException if it is no control file of this version.
     */
    static Control open(final Path file, final long uid) throws IOException
    {
        final long length;
        final UnsafeBuffer buffer;
        try (FileChannel channel = PrivateFiles.open(file, uid))
        {
            length = channel.size();
            if (length < fileLength(1) || length > fileLength(MAX_PES))
            {
                throw new TransportException(file + " has " + length + " bytes, which no control file has: the job " +
                    "is not complete or not one of this version");
            }

            buffer = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, length));
        }

        final long magic = buffer.getLongAcquire(MAGIC_OFFSET);
        final int version = buffer.getInt(VERSION_OFFSET);
        if (MAGIC != magic || VERSION != version)
        {
            throw new TransportException(file + " is no control file of version " + VERSION + " (magic " +
                Long.toHexString(magic) + ", version " + version + "): all processes of a job must use one AeroSHMEM");
        }

        final int nPes = buffer.getInt(N_PES_OFFSET);
        if (nPes < 1 || nPes > MAX_PES || fileLength(nPes) != length || 0 == buffer.getLong(TOKEN_OFFSET))
        {
            throw new TransportException(file + " is damaged: " + length + " bytes for " + nPes + " PEs");
        }

        return new Control(buffer, nPes);
    }

    /**
     * How many PEs the job has, on all hosts.
     *
     * @return 1 to 65536.
     */
    public int nPes()
    {
        return nPes;
    }

    /**
     * The job's 64-bit token, which every frame carries.
     *
     * @return the token, never 0.
     */
    public long token()
    {
        return token;
    }

    /**
     * The process that created the job.
     *
     * @return its pid.
     */
    public long creatorPid()
    {
        return buffer.getLong(CREATOR_PID_OFFSET);
    }

    /**
     * When the process that created the job started.
     *
     * @return milliseconds since the epoch, 0 where unknown.
     */
    public long creatorStartTime()
    {
        return buffer.getLong(CREATOR_START_TIME_OFFSET);
    }

    /**
     * The PE whose process created this node's part of the job, so that the end of one is the end of the other.
     *
     * @return world PE; negative for a launcher, or a process with all PEs.
     */
    public int creatorPe()
    {
        return buffer.getInt(CREATOR_PE_OFFSET);
    }

    /**
     * When the job was created.
     *
     * @return milliseconds since the epoch.
     */
    public long createdTime()
    {
        return buffer.getLong(CREATED_OFFSET);
    }

    /**
     * The number of the creator's cell: a reporter of failures, and a holder of a phase and a heartbeat, beside the
     * PEs.
     *
     * @return {@link #nPes()}.
     */
    public int creatorCell()
    {
        return nPes;
    }

    /**
     * Tells which process runs a PE. From here on the end of that process is noticed, so it must hold its lock before
     * it registers. Called once per PE, by its process.
     *
     * @param pe          world PE.
     * @param pid         process that runs it.
     * @param startTimeMs when that process started, milliseconds since the epoch.
     * @param lockName    file name of the process's lock in the job directory, see
     *                    {@link JobDirectory#lockProcess(String)}.
     * @throws IllegalStateException if the PE is registered already.
     */
    public void register(final int pe, final long pid, final long startTimeMs, final String lockName)
    {
        final int cell = peCell(pe);
        if (pid <= 0 || !JobDirectory.isProcessLock(lockName))
        {
            throw new IllegalArgumentException("pid " + pid + " must be positive, and the lock name '" + lockName +
                "' must be the file name of a process's lock, proc-<id>.lock");
        }

        if (0 != buffer.getLongAcquire(cell + PID_OFFSET))
        {
            throw new IllegalStateException("PE " + pe + " of this job is registered already, by pid " + pid(pe) +
                " on " + hostName(pe) + ": two processes must not be the same PE");
        }

        buffer.putLong(cell + START_TIME_OFFSET, startTimeMs);
        BoundedText.put(buffer, cell + LOCK_NAME_LENGTH_OFFSET, cell + LOCK_NAME_OFFSET,
            BoundedText.encode(lockName, LOCK_NAME_CAPACITY));
        BoundedText.put(buffer, cell + HOST_NAME_LENGTH_OFFSET, cell + HOST_NAME_OFFSET,
            BoundedText.encode(HostName.local(), HOST_NAME_CAPACITY));
        BoundedText.put(buffer, cell + LOG_LENGTH_OFFSET, cell + LOG_OFFSET,
            BoundedText.encode(ProcessLog.current(), LOG_CAPACITY));
        buffer.putLongRelease(cell + HEARTBEAT_OFFSET, System.currentTimeMillis());
        buffer.putLongRelease(cell + PID_OFFSET, pid);
    }

    /**
     * The process that runs a PE. Acquire: start time, lock name and host can be read once this is not 0.
     *
     * @param pe world PE.
     * @return its pid, on its own host; 0 while it has neither registered nor been mirrored here.
     */
    public long pid(final int pe)
    {
        return buffer.getLongAcquire(peCell(pe) + PID_OFFSET);
    }

    /**
     * When the process of a PE started.
     *
     * @param pe world PE.
     * @return milliseconds since the epoch; 0 while not registered or where unknown.
     */
    public long startTime(final int pe)
    {
        return 0 == pid(pe) ? 0 : buffer.getLong(peCell(pe) + START_TIME_OFFSET);
    }

    /**
     * The lock that the process of a PE holds as long as it lives.
     *
     * @param pe world PE.
     * @return a file name in the job directory; empty while not registered, and for a PE of another node.
     */
    public String lockName(final int pe)
    {
        final int cell = peCell(pe);

        return 0 == pid(pe) ? "" :
            BoundedText.get(buffer, cell + LOCK_NAME_LENGTH_OFFSET, cell + LOCK_NAME_OFFSET, LOCK_NAME_CAPACITY);
    }

    /**
     * The name of the host, or container, in which a PE registered.
     *
     * @param pe world PE.
     * @return the host name; empty while not registered.
     */
    public String hostName(final int pe)
    {
        final int cell = peCell(pe);

        return 0 == pid(pe) ? "" :
            BoundedText.get(buffer, cell + HOST_NAME_LENGTH_OFFSET, cell + HOST_NAME_OFFSET, HOST_NAME_CAPACITY);
    }

    /**
     * Where the process of a PE writes its log, see {@link ProcessLog#current()}.
     *
     * @param pe world PE.
     * @return a path on its host, or words; empty while not registered.
     */
    public String log(final int pe)
    {
        final int cell = peCell(pe);

        return 0 == pid(pe) ? "" :
            BoundedText.get(buffer, cell + LOG_LENGTH_OFFSET, cell + LOG_OFFSET, LOG_CAPACITY);
    }

    /**
     * Whether a PE is known here only by what another node told of it: no lock on this node tells of its death.
     *
     * @param pe world PE.
     * @return true if {@link #mirror} wrote its cell; false while nothing is known of it.
     */
    public boolean isMirrored(final int pe)
    {
        return 0 != pid(pe) && 0 == buffer.getInt(peCell(pe) + LOCK_NAME_LENGTH_OFFSET);
    }

    /**
     * Writes the cell of a PE that lives on another node. Who and where it is, is written by the first call; a record
     * that is not empty replaces the one that is there; then the phase is stored with release, so that those who see
     * it see the record. A phase that is not after the present one changes nothing, so calls may be repeated.
     * <p>
     * Called by one thread of this node for all PEs of other nodes, and never for a PE that registers here. The record
     * is replaced under the same rule as in {@link #record(int, DirectBuffer, int, int)}: a PE completes its record
     * only after all PEs of all nodes are {@link PePhase#EXCHANGED}, when nobody reads.
     *
     * @param pe           world PE, of another node.
     * @param pid          process that runs it, on its host.
     * @param startTimeMs  when that process started, milliseconds since the epoch.
     * @param host         name of its host.
     * @param log          where its process logs.
     * @param phase        one of {@link PePhase}.
     * @param record       buffer with its join record.
     * @param recordOffset at which the record starts.
     * @param recordLength of the record, 0 to {@link #RECORD_CAPACITY}; 0 keeps the one that is there.
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
            throw new IllegalArgumentException("PE " + pe + " of another node: pid " + pid + " must be positive, " +
                "phase " + phase + " 0 to " + PePhase.CLOSED + ", and its record of " + recordLength +
                " bytes have at most " + RECORD_CAPACITY);
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
            throw new IllegalStateException("PE " + pe + " lives on this node, as pid " + pid(pe) +
                ", and cannot be mirrored from another");
        }

        heartbeat(pe, System.currentTimeMillis());
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
     * How far a PE, or the creator, has come. Acquire: what it wrote before that phase can be read.
     *
     * @param pe world PE, or {@link #creatorCell()}.
     * @return one of {@link PePhase}.
     */
    public int phase(final int pe)
    {
        final int phase = buffer.getIntAcquire(anyCell(pe) + PHASE_OFFSET);
        if (phase < PePhase.ABSENT || phase > PePhase.CLOSED)
        {
            throw new TransportException("PE " + pe + " is in phase " + phase + ", " + PePhase.ABSENT + " to " +
                PePhase.CLOSED + " is possible: the control file is damaged");
        }

        return phase;
    }

    /**
     * Moves a PE, or the creator, to a later phase; release. Only its own process does this.
     *
     * @param pe    world PE, or {@link #creatorCell()}.
     * @param phase one of {@link PePhase}, not before the present one.
     * @throws IllegalStateException if the phase would go back.
     */
    public void phase(final int pe, final int phase)
    {
        final int offset = anyCell(pe) + PHASE_OFFSET;
        final int present = buffer.getIntAcquire(offset);
        if (phase < present)
        {
            throw new IllegalStateException("PE " + pe + " is " + PePhase.name(present) + " and cannot go back to " +
                PePhase.name(phase));
        }

        buffer.putIntRelease(offset, phase);
    }

    /**
     * Writes a PE's join record. Others read it when the PE has moved to {@link PePhase#RECORDED}, and again, completed
     * with where it listens, when it has moved to {@link PePhase#LISTENING}. Between, when all have moved to
     * {@link PePhase#EXCHANGED}, nobody reads and the PE may write.
     *
     * @param pe     world PE.
     * @param source buffer with the record.
     * @param offset at which the record starts.
     * @param length of the record, 0 to {@link #RECORD_CAPACITY}.
     */
    public void record(final int pe, final DirectBuffer source, final int offset, final int length)
    {
        final int cell = peCell(pe);
        if (length < 0 || length > RECORD_CAPACITY)
        {
            throw new IllegalArgumentException("a join record of " + length + " bytes: at most " + RECORD_CAPACITY);
        }

        if (PePhase.ABSENT != phase(pe) && PePhase.EXCHANGED != phase(pe))
        {
            throw new IllegalStateException("PE " + pe + " is " + PePhase.name(phase(pe)) +
                ": its join record may be read now and cannot change");
        }

        buffer.putBytes(cell + RECORD_OFFSET, source, offset, length);
        buffer.putInt(cell + RECORD_LENGTH_OFFSET, length);
    }

    /**
     * Reads a PE's join record.
     *
     * @param pe     world PE.
     * @param dest   buffer that takes the record, with room for {@link #RECORD_CAPACITY} bytes.
     * @param offset at which the record is put.
     * @return length of the record; 0 before the PE is {@link PePhase#RECORDED}.
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
            throw new TransportException("the join record of PE " + pe + " says it has " + length + " bytes, at most " +
                RECORD_CAPACITY + " are possible: the control file is damaged");
        }

        dest.putBytes(offset, buffer, cell + RECORD_OFFSET, length);

        return length;
    }

    /**
     * Says that a PE's process, or the creator, still runs. Only its own process does this.
     *
     * @param pe      world PE, or {@link #creatorCell()}.
     * @param epochMs now, milliseconds since the epoch.
     */
    public void heartbeat(final int pe, final long epochMs)
    {
        buffer.putLongOpaque(anyCell(pe) + HEARTBEAT_OFFSET, epochMs);
    }

    /**
     * When a PE's process, or the creator, last said that it runs.
     *
     * @param pe world PE, or {@link #creatorCell()}.
     * @return milliseconds since the epoch, 0 if it never did.
     */
    public long heartbeat(final int pe)
    {
        return buffer.getLongOpaque(anyCell(pe) + HEARTBEAT_OFFSET);
    }

    /**
     * Reads a counter; opaque.
     *
     * @param pe      world PE.
     * @param counter slot, see {@link ControlCounter}.
     * @return its value.
     */
    public long counter(final int pe, final int counter)
    {
        return buffer.getLongOpaque(counterOffset(pe, counter));
    }

    /**
     * Marks a PE whose JVM has begun to end while the PE is open; release. Should the process end before the PE is
     * CLOSED, it was not killed but ended by itself. Only its own process does this.
     *
     * @param pe world PE.
     */
    public void ending(final int pe)
    {
        buffer.putIntRelease(peCell(pe) + ENDING_OFFSET, 1);
    }

    /**
     * Whether the JVM of a PE of this node has begun to end while the PE was open; acquire.
     *
     * @param pe world PE.
     * @return true once it has; false for a PE of another node.
     */
    public boolean isEnding(final int pe)
    {
        return 0 != buffer.getIntAcquire(peCell(pe) + ENDING_OFFSET);
    }

    /**
     * Sets a counter; opaque. Only the PE's own process does this.
     *
     * @param pe      world PE.
     * @param counter slot, see {@link ControlCounter}.
     * @param value   to set.
     */
    public void counter(final int pe, final int counter, final long value)
    {
        buffer.putLongOpaque(counterOffset(pe, counter), value);
    }

    /**
     * Adds to a counter, from any thread of the PE's own process.
     *
     * @param pe      world PE.
     * @param counter slot, see {@link ControlCounter}.
     * @param delta   to add.
     */
    public void addToCounter(final int pe, final int counter, final long delta)
    {
        buffer.getAndAddLong(counterOffset(pe, counter), delta);
    }

    /**
     * The calls that PEs are blocked in.
     *
     * @return never null.
     */
    public PeActivities activities()
    {
        return activities;
    }

    /**
     * Where a PE is in its life, and which call it is or was last blocked in.
     *
     * @param pe world PE.
     * @return one line, such as "PE 1 (pid 4711, host a): RUNNING, blocked in barrier on team WORLD, call 17, for 3 s".
     */
    public String describe(final int pe)
    {
        final long nowMs = System.currentTimeMillis();
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

    /**
     * {@link #describe(int)} of all PEs, a line each.
     *
     * @return several lines; of a large job, those of the first {@value #MOST_DESCRIBED} PEs.
     */
    public String describeAll()
    {
        final StringBuilder text = new StringBuilder();
        for (int pe = 0; pe < Math.min(nPes, MOST_DESCRIBED); pe++)
        {
            text.append(text.isEmpty() ? "  " : "\n  ").append(describe(pe));
        }

        return nPes <= MOST_DESCRIBED ? text.toString() :
            text.append("\n  and ").append(nPes - MOST_DESCRIBED).append(" more PEs").toString();
    }

    /**
     * The state of the driver that the creator starts on demand; acquire.
     *
     * @return one of {@link DriverState}.
     */
    public int driverState()
    {
        return buffer.getIntAcquire(DRIVER_STATE_OFFSET);
    }

    /**
     * Asks the creator to start a media driver. Any PE, any number of times.
     *
     * @return true if this call was the first to ask.
     */
    public boolean requestDriver()
    {
        return buffer.compareAndSetInt(DRIVER_STATE_OFFSET, DriverState.NONE, DriverState.WANTED);
    }

    /**
     * Says that the driver serves; creator only. Without effect after {@link #driverFailed(String)}.
     */
    public synchronized void driverReady()
    {
        if (DriverState.FAILED != driverState())
        {
            buffer.putIntVolatile(DRIVER_STATE_OFFSET, DriverState.READY);
        }
    }

    /**
     * Says that the driver could not be started, or has ended; creator only. The first message stays.
     *
     * @param message why, for people; at most 2 KiB of UTF-8, cut where longer.
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

    /**
     * Why there is no driver.
     *
     * @return the message given to {@link #driverFailed(String)}; null unless the driver failed.
     */
    public String driverMessage()
    {
        return DriverState.FAILED != driverState() ? null :
            BoundedText.get(buffer, DRIVER_MESSAGE_LENGTH_OFFSET, DRIVER_MESSAGE_OFFSET, DRIVER_MESSAGE_CAPACITY);
    }

    /**
     * Announces that the creator will make a successor of this job when a PE asks for it; creator only, before it
     * starts the PEs.
     */
    public void offerSuccessor()
    {
        buffer.putIntVolatile(SUCCESSOR_STATE_OFFSET, SuccessorState.OFFERED);
    }

    /**
     * Asks the creator for the successor of this job, which the PE has left. Any PE, any number of times; without
     * effect where none is offered.
     */
    public void requestSuccessor()
    {
        buffer.compareAndSetInt(SUCCESSOR_STATE_OFFSET, SuccessorState.OFFERED, SuccessorState.WANTED);
    }

    /**
     * The state of the job's successor; acquire.
     *
     * @return one of {@link SuccessorState}.
     */
    public int successorState()
    {
        return buffer.getIntAcquire(SUCCESSOR_STATE_OFFSET);
    }

    /**
     * Announces that the successor is there; creator only, once.
     *
     * @param directory path of its directory, at most 1 KiB of UTF-8.
     */
    public void successorReady(final String directory)
    {
        successor(SuccessorState.READY, directory);
    }

    /**
     * Announces that the successor could not be made; creator only, once.
     *
     * @param message why, for people; at most 1 KiB of UTF-8, cut where longer.
     */
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
     * The successor's directory, or why there is none.
     *
     * @return the path when the state is {@link SuccessorState#READY}, the reason when it is
     * {@link SuccessorState#FAILED}.
     */
    public String successor()
    {
        return BoundedText.get(buffer, SUCCESSOR_LENGTH_OFFSET, SUCCESSOR_OFFSET, SUCCESSOR_CAPACITY);
    }

    /**
     * Whether the job has failed: one acquire load, the check that every wait makes.
     *
     * @return true once a failure was reported; then {@link #failure()} tells which.
     */
    public boolean isFailed()
    {
        return 0 != UnsafeApi.getLongAcquire(null, failureWordAddress);
    }

    /**
     * Reports a failure of the job. Every wait of every PE on this host ends soon after.
     *
     * @param reporter world PE of this process that reports, or {@link #creatorCell()} for the creator.
     * @param failure  what happened.
     * @return true if this was the first, so that it is the one that everybody sees. Whatever is returned, the job has
     * failed on return.
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

        buffer.putInt(cell + FAILURE_KIND_OFFSET, failure.kind().code());
        buffer.putInt(cell + FAILURE_PE_OFFSET, failure.pe());
        buffer.putInt(cell + FAILURE_STATUS_OFFSET, failure.status());
        BoundedText.put(buffer, cell + FAILURE_MESSAGE_LENGTH_OFFSET, cell + FAILURE_MESSAGE_OFFSET,
            BoundedText.encode(failure.message(), FAILURE_MESSAGE_CAPACITY));

        return buffer.compareAndSetLong(FAILURE_WORD_OFFSET, 0, reporter + 1L);
    }

    /**
     * The failure of the job.
     *
     * @return the first that was reported; null while the job is healthy.
     */
    public JobFailure failure()
    {
        final long word = buffer.getLongAcquire(FAILURE_WORD_OFFSET);
        if (0 == word)
        {
            return null;
        }

        if (word < 0 || word > nPes + 1L)
        {
            return new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, "the failure word of the control file is " + word +
                ", 0 to " + (nPes + 1) + " is possible: the control file is damaged");
        }

        final int cell = cellOffset((int)word - 1);
        final int pe = buffer.getInt(cell + FAILURE_PE_OFFSET);

        return new JobFailure(
            JobFailure.Kind.ofCode(buffer.getInt(cell + FAILURE_KIND_OFFSET)),
            pe < 0 || pe >= nPes ? -1 : pe,
            buffer.getInt(cell + FAILURE_STATUS_OFFSET),
            BoundedText.get(buffer, cell + FAILURE_MESSAGE_LENGTH_OFFSET, cell + FAILURE_MESSAGE_OFFSET,
                FAILURE_MESSAGE_CAPACITY));
    }

    /**
     * Where the failure word is, for loops that look at it often: not 0 means failed; to be loaded with acquire.
     *
     * @return an address that is valid as long as this object is reachable.
     */
    public long failureWordAddress()
    {
        return failureWordAddress;
    }

    /**
     * What is known of every PE, one line each, for logs and failed tests.
     *
     * @return several lines.
     */
    @Override
    public String toString()
    {
        final StringBuilder builder = new StringBuilder(64 + 96 * nPes);
        builder.append("Control{nPes=").append(nPes)
            .append(", creatorPid=").append(creatorPid())
            .append(", driver=").append(DriverState.name(driverState()))
            .append(", failure=").append(failure());

        for (int pe = 0; pe < nPes; pe++)
        {
            builder.append("\n  PE ").append(pe)
                .append(": ").append(PePhase.name(buffer.getIntAcquire(cellOffset(pe) + PHASE_OFFSET)))
                .append(" pid=").append(pid(pe))
                .append(" host=").append(hostName(pe))
                .append(" heartbeat=").append(heartbeat(pe));
            for (int counter = 0; counter < ControlCounter.count(); counter++)
            {
                final long value = counter(pe, counter);
                if (0 != value)
                {
                    builder.append(" '").append(ControlCounter.name(counter)).append("'=").append(value);
                }
            }
        }

        return builder.append('}').toString();
    }

    /**
     * Another thread that reports through the same cell is between its claim and the failure word: a few stores.
     * Waiting for it keeps the promise that the job has failed when {@link #fail} returns. A process that ended just
     * there leaves its claim, and a state that nobody writes is damage: both are as good a reason to fail.
     */
    private void awaitOtherReport(final int cell)
    {
        final long deadlineNs = System.nanoTime() + CLAIM_TIMEOUT_NS;
        while (FAILURE_CLAIMED == buffer.getIntVolatile(cell + FAILURE_STATE_OFFSET) && !isFailed() &&
            System.nanoTime() - deadlineNs < 0)
        {
            Thread.yield();
        }
        buffer.compareAndSetLong(FAILURE_WORD_OFFSET, 0, nPes + 2L);
    }

    private int counterOffset(final int pe, final int counter)
    {
        if (counter < 0 || counter >= ControlCounter.CAPACITY)
        {
            throw new IndexOutOfBoundsException("counter " + counter + ": 0 to " + (ControlCounter.CAPACITY - 1));
        }

        return peCell(pe) + COUNTERS_OFFSET + counter * Long.BYTES;
    }

    private int peCell(final int pe)
    {
        if (pe < 0 || pe >= nPes)
        {
            throw new IndexOutOfBoundsException("PE " + pe + ": 0 to " + (nPes - 1));
        }

        return cellOffset(pe);
    }

    private int anyCell(final int pe)
    {
        if (pe < 0 || pe > nPes)
        {
            throw new IndexOutOfBoundsException("PE " + pe + ": 0 to " + (nPes - 1) + ", or " + nPes +
                " for the creator");
        }

        return cellOffset(pe);
    }
}
