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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The share of a PE in the directory of its recoverable job on this node, if no launcher keeps that directory. Whatever
 * starts processes of the PE one after another, they find the same directory, by the id of the job.
 * <pre>
 *  job.lock          held by nobody: a directory without it is being removed
 *  lease             as in a {@link RecoveryDirectory}, extended by each process
 *  proc-pe-&lt;n&gt;.lock   held by the process of PE n until it ends: nobody else takes over its memory before
 *  pe-&lt;n&gt;.generation  what PE n knows of the generations of the job ({@link PreviousGeneration})
 *  pe-&lt;n&gt;.heap        see {@link RetainedHeaps}
 * </pre>
 * <b>Which memory is the last.</b> A PE writes the number of a generation before it enters, and writes that it runs
 * when all PEs have entered, before it maps its heap. So if any PE knows that a generation ran, the others have written
 * its number. The memory of a PE that has not is older: that PE ran elsewhere since, and has come back. Numbers are not
 * used again, also if a generation fails before all PEs have entered.
 */
public final class RecoveryMember
{
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int LINES = 6;

    private final RecoveryLease lease;
    private final Path path;
    private final int pe;
    private final ProcessLock lock;
    private PreviousGeneration known;

    private RecoveryMember(final Path path, final int pe, final ProcessLock lock, final RecoveryLease lease)
    {
        this.path = path;
        this.pe = pe;
        this.lock = lock;
        this.lease = lease;
        known = read();
    }

    /**
     * Opens or creates the directory of a job, and waits until the process that had the PE before has ended.
     *
     * @param jobId     32 hexadecimal digits, which no other job on this node has.
     * @param timeoutNs for which that process is awaited.
     * @throws TransportException if it has not ended in time.
     */
    public static RecoveryMember join(
        final Path root,
        final String jobId,
        final int pe,
        final long retainTimeoutNs,
        final long timeoutNs,
        final Pause pause)
    {
        final long deadlineNs = pause.nanoTime() + timeoutNs;
        while (true)
        {
            try
            {
                final RecoveryMember member = JobDirectory.inUserDirectory(root, (parent, randomId) ->
                    tryJoin(parent.resolve(RecoveryDirectory.name(jobId)), pe, retainTimeoutNs));
                if (null != member)
                {
                    return member;
                }
            }
            catch (final IOException ex)
            {
                throw new TransportException("cannot open the directory of a recoverable job under " + root + ": " +
                    ex + "; free space there or set " + JobDirectory.SHM_DIR_PROP_NAME, ex);
            }

            if (pause.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException("another process of PE " + pe + " of this recoverable job is alive, and " +
                    "has not ended within " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) +
                    " ms: a PE has one process at a time (aeroshmem.join.timeout)");
            }

            pause(pause, deadlineNs);
        }
    }

    /** Returns null if another process has the PE. */
    private static RecoveryMember tryJoin(final Path path, final int pe, final long retainTimeoutNs)
        throws IOException
    {
        final long uid = PrivateFiles.currentUid();
        PrivateFiles.makeOrVerifyDirectory(path, uid, JobDirectory.SHM_DIR_PROP_NAME);
        final Path jobLock = path.resolve(JobDirectory.JOB_LOCK);
        final Path lockFile = path.resolve(lockName(pe));
        PrivateFiles.createOrVerify(jobLock, uid);
        final RecoveryLease lease = new RecoveryLease(path, retainTimeoutNs);
        PrivateFiles.createOrVerify(lockFile, uid);
        final ProcessLock lock = ProcessLock.tryAcquire(lockFile);
        if (null == lock)
        {
            return null;
        }

        // a cleaner, or the last process of an earlier job, removes job.lock last
        if (!Files.exists(jobLock, LinkOption.NOFOLLOW_LINKS) || !Files.exists(lockFile, LinkOption.NOFOLLOW_LINKS))
        {
            lock.close();
            return null;
        }

        lease.start();
        return new RecoveryMember(path, pe, lock, lease);
    }

    /** Returns what this PE knows of the generations before. */
    public PreviousGeneration known()
    {
        return known;
    }

    /**
     * Waits until no process of an earlier generation is left on this node: one whose PE is on another node now may
     * still have mapped the memory here.
     *
     * @param pes whose processes of the next generation are on this node.
     */
    public void awaitOthers(final int[] pes, final long timeoutNs, final Pause pause)
    {
        final long deadlineNs = pause.nanoTime() + timeoutNs;
        final List<String> own = Arrays.stream(pes).mapToObj(RecoveryMember::lockName).toList();
        Path other = heldByOther(own);
        while (null != other)
        {
            if (pause.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException("a process of an earlier generation is alive on this host, and has not " +
                    "ended within " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms: it holds " + other +
                    " (aeroshmem.join.timeout)");
            }

            pause(pause, deadlineNs);
            other = heldByOther(own);
        }
    }

    private Path heldByOther(final List<String> own)
    {
        try
        {
            for (final Path file : JobDirectory.processLockFiles(path))
            {
                if (!own.contains(file.getFileName().toString()) && ProcessLock.isHeld(file))
                {
                    return file;
                }
            }

            return null;
        }
        catch (final NoSuchFileException ex)
        {
            // another PE that has left has removed the directory
            return null;
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot read " + path + ": " + ex, ex);
        }
    }

    /** Handles that this PE is about to enter the next generation. Returns where its heap is. */
    public RetainedHeaps enter(final PreviousGeneration previous)
    {
        final RetainedHeaps heaps = new RetainedHeaps(path);
        if (known.number() < previous.running())
        {
            heaps.remove(pe);
        }

        write(new PreviousGeneration(previous.number() + 1, Math.min(known.running(), previous.running()), null));
        return heaps;
    }

    /** Handles that all PEs have entered. */
    public void run()
    {
        write(new PreviousGeneration(known.number(), known.number(), null));
    }

    /**
     * Handles the end of the generation for this PE. After a failure, the process of the next generation takes over
     * when this one has ended. If the failure is null or ends the job, the last process removes the directory.
     */
    public void leave(final JobFailure failure)
    {
        if (null != failure && !failure.endsJob())
        {
            write(new PreviousGeneration(known.number(), known.running(), failure));
            return;
        }

        try (lock)
        {
            lease.end();
            new RetainedHeaps(path).remove(pe);
            Files.deleteIfExists(record());
            Files.deleteIfExists(lock.path());
            if (null == heldByOther(List.of()))
            {
                JobDirectory.removeTree(path);
            }
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot remove the files of PE " + pe + " in " + path + ": " + ex, ex);
        }
    }

    /** Releases the PE, which this process has not entered. */
    public void abandon()
    {
        lease.end();
        lock.close();
    }

    @Override
    public String toString()
    {
        return "RecoveryMember{" + path + ", PE " + pe + ", " + known + '}';
    }

    private Path record()
    {
        return path.resolve(JobDirectory.peName(pe) + ".generation");
    }

    private PreviousGeneration read()
    {
        try
        {
            PrivateFiles.verifyOwner(record(), PrivateFiles.currentUid());
            final String[] lines = Files.readString(record()).split("\n", LINES);
            final int kind = Integer.parseInt(lines[2]);
            return new PreviousGeneration(Integer.parseInt(lines[0]), Integer.parseInt(lines[1]), kind < 0 ? null :
                new JobFailure(JobFailure.Kind.ofCode(kind), Integer.parseInt(lines[3]), Integer.parseInt(lines[4]),
                lines[5]));
        }
        catch (final NoSuchFileException ex)
        {
            return PreviousGeneration.NONE;
        }
        catch (final IOException | IllegalArgumentException | ArrayIndexOutOfBoundsException ex)
        {
            throw new TransportException("cannot read " + record() + ": " + ex, ex);
        }
    }

    private void write(final PreviousGeneration generation)
    {
        final JobFailure failure = generation.failure();
        final String text = generation.number() + "\n" + generation.running() + "\n" + (null == failure ? "-1" :
            failure.kind().code() + "\n" + failure.pe() + "\n" + failure.status() + "\n" + failure.message());
        final Path next = path.resolve(JobDirectory.peName(pe) + ".next");
        try
        {
            Files.deleteIfExists(next);
            PrivateFiles.create(next).close();
            Files.writeString(next, text);
            Files.move(next, record(), StandardCopyOption.ATOMIC_MOVE);
            known = generation;
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot write " + record() + ": " + ex, ex);
        }
    }

    private static String lockName(final int pe)
    {
        return JobDirectory.LOCK_PREFIX + JobDirectory.peName(pe) + JobDirectory.LOCK_SUFFIX;
    }

    private static void pause(final Pause pause, final long deadlineNs)
    {
        pause.park(RecoveryMember.class, Math.min(POLL_NS, Math.max(1, deadlineNs - pause.nanoTime())));
        if (Thread.currentThread().isInterrupted())
        {
            throw new TransportException("interrupted while waiting for another process to end");
        }
    }
}
