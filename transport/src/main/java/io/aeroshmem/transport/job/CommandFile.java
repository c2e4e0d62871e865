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
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The file through which a command reaches the launcher of a recoverable job, in the directory of that job.
 * <pre>
 *    0  state (4, last) | length of the command (4) | length of the answer (4)
 *   64  answer (4032)
 * 4096  command (61440): words, separated by NUL
 * </pre>
 * A process that commands holds the lock of the file, which ends with it: there is one at a time. It writes the command
 * and stores WANTED. The launcher moves WANTED to TAKEN, by compare-and-set, as the process may withdraw the command to
 * IDLE. Then the launcher owns the file until it has written the answer and stores DONE or REFUSED. Each store is a
 * release, and pairs with the acquiring load of the other process.
 */
public final class CommandFile
{
    private static final String NAME = "command";
    private static final String BUSY = "another command is under way";
    private static final String SEPARATOR = "\0";
    private static final int LENGTH = 1 << 16;
    private static final int STATE = 0;
    private static final int COMMAND_LENGTH = 4;
    private static final int ANSWER_LENGTH = 8;
    private static final int ANSWER = 64;
    private static final int COMMAND = 4096;
    private static final int ANSWER_CAPACITY = COMMAND - ANSWER;
    private static final int COMMAND_CAPACITY = LENGTH - COMMAND;
    private static final int IDLE = 0;
    private static final int WANTED = 1;
    private static final int TAKEN = 2;
    private static final int DONE = 3;
    private static final int REFUSED = 4;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final UnsafeBuffer buffer;

    private CommandFile(final UnsafeBuffer buffer)
    {
        this.buffer = buffer;
    }

    /**
     * What became of a command.
     *
     * @param isDone whether it was performed.
     * @param text   what the launcher says, or why there is no answer.
     */
    public record Answer(boolean isDone, String text)
    {
    }

    /** Creates the file; launcher only. */
    public static CommandFile create(final Path recoveryDirectory)
    {
        final Path path = recoveryDirectory.resolve(NAME);
        try (FileChannel channel = PrivateFiles.create(path))
        {
            PrivateFiles.reserve(channel, LENGTH);
            return new CommandFile(map(channel));
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot create the file of commands " + path + ": " + ex, ex);
        }
    }

    private static UnsafeBuffer map(final FileChannel channel) throws IOException
    {
        return new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH));
    }

    /** Returns whether a command waits; launcher only, like the following methods. */
    public boolean isWanted()
    {
        return WANTED == buffer.getIntAcquire(STATE);
    }

    /** Returns the words of the command that waits, which the launcher then answers; empty if it was withdrawn. */
    public List<String> take()
    {
        return buffer.compareAndSetInt(STATE, WANTED, TAKEN) ? List.of(
            BoundedText.get(buffer, COMMAND_LENGTH, COMMAND, COMMAND_CAPACITY).split(SEPARATOR, -1)) : List.of();
    }

    /** Answers the command that was taken, if there is one. */
    public void answer(final boolean isDone, final String text)
    {
        if (TAKEN == buffer.getInt(STATE))
        {
            BoundedText.put(buffer, ANSWER_LENGTH, ANSWER, BoundedText.encode(text, ANSWER_CAPACITY));
            buffer.putIntRelease(STATE, isDone ? DONE : REFUSED);
        }
    }

    /**
     * Sends a command to the launcher of a job, and waits for the answer: until the launcher has ended, and no longer
     * than the time-out for it to take the command.
     */
    public static Answer send(final Path recoveryDirectory, final long takeTimeoutNs, final List<String> words)
    {
        final byte[] command = String.join(SEPARATOR, words).getBytes(StandardCharsets.UTF_8);
        if (command.length > COMMAND_CAPACITY)
        {
            throw new IllegalArgumentException(
                "command must have at most " + COMMAND_CAPACITY + " bytes: " + command.length);
        }

        final Path path = recoveryDirectory.resolve(NAME);
        try (FileChannel channel = PrivateFiles.open(path, PrivateFiles.currentUid());
            LockProbe launcher = new LockProbe(recoveryDirectory.resolve(JobDirectory.JOB_LOCK)))
        {
            if (LENGTH != channel.size())
            {
                throw new TransportException(path + " must have " + LENGTH + " bytes: " + channel.size());
            }

            return null == channel.tryLock() ? new Answer(false, BUSY) :
                new CommandFile(map(channel)).send(launcher, takeTimeoutNs, command);
        }
        catch (final OverlappingFileLockException ex)
        {
            return new Answer(false, BUSY);
        }
        catch (final NoSuchFileException ex)
        {
            return new Answer(false, "the job takes no commands: it was not started on this host alone by 'aeroshmem" +
                " run --recover', or has ended");
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot use the file of commands " + path + ": " + ex, ex);
        }
    }

    private Answer send(final LockProbe launcher, final long takeTimeoutNs, final byte[] command) throws IOException
    {
        // one that waits has lost its process
        buffer.compareAndSetInt(STATE, WANTED, IDLE);
        if (TAKEN == buffer.getIntAcquire(STATE))
        {
            return new Answer(false, BUSY);
        }

        BoundedText.put(buffer, COMMAND_LENGTH, COMMAND, command);
        buffer.putIntRelease(STATE, WANTED);
        final long deadlineNs = Pause.SYSTEM.nanoTime() + takeTimeoutNs;
        for (int state = WANTED; DONE != state && REFUSED != state; state = buffer.getIntAcquire(STATE))
        {
            // the last answer is read after the end of the launcher is known
            final boolean isAlive = launcher.isHeld();
            final boolean isLate = Pause.SYSTEM.nanoTime() - deadlineNs >= 0;
            if ((!isAlive || isLate) && buffer.compareAndSetInt(STATE, WANTED, IDLE))
            {
                return new Answer(false, isAlive ? "the launcher did not take the command within " +
                    TimeUnit.NANOSECONDS.toMillis(takeTimeoutNs) + " ms: not all PEs run" : "the job has ended");
            }

            if (!isAlive && TAKEN == buffer.getIntAcquire(STATE))
            {
                return new Answer(false, "the job has ended before the command was performed");
            }

            Pause.SYSTEM.park(this, POLL_NS);
        }

        return new Answer(DONE == buffer.getIntAcquire(STATE),
            BoundedText.get(buffer, ANSWER_LENGTH, ANSWER, ANSWER_CAPACITY));
    }
}
