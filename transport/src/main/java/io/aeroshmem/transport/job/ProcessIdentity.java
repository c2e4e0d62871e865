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

import java.time.Instant;
import java.util.Optional;

/**
 * The identity of one process of this host, which distinguishes it from a later process with the same pid.
 *
 * @param pid       process id, valid only in the pid namespace of the process.
 * @param startTime start time in milliseconds since the epoch, 0 if unknown.
 */
public record ProcessIdentity(long pid, long startTime)
{
    /**
     * Two JVMs may read start times of one process that differ by this much: Linux reports ticks since boot, and each
     * JVM adds the boot time, which the kernel gives in whole seconds and changes when the clock is adjusted.
     */
    static final long START_TIME_TOLERANCE_MS = 2_000;

    /** Returns the identity of this process. */
    public static ProcessIdentity current()
    {
        return of(ProcessHandle.current());
    }

    /** Returns the identity of the process of a handle. */
    public static ProcessIdentity of(final ProcessHandle process)
    {
        return new ProcessIdentity(process.pid(), startTimeOf(process));
    }

    /**
     * Returns whether this very process is alive and visible from here: false if its pid has been reused or it lives in
     * another pid namespace.
     */
    public boolean isAlive()
    {
        return find().filter(ProcessHandle::isAlive).isPresent();
    }

    /**
     * Sends {@code SIGKILL} to this very process, and not to another one with its pid. Returns whether the signal was
     * sent; a process whose start time is unknown on either side is left alone, as is the calling process.
     */
    public boolean kill()
    {
        return 0 != startTime && ProcessHandle.current().pid() != pid &&
            find().filter((process) -> 0 != startTimeOf(process)).filter(ProcessHandle::destroyForcibly).isPresent();
    }

    private Optional<ProcessHandle> find()
    {
        return pid <= 0 ? Optional.empty() : ProcessHandle.of(pid).filter(this::matches);
    }

    private boolean matches(final ProcessHandle process)
    {
        final long found = startTimeOf(process);

        return 0 == startTime || 0 == found || Math.abs(found - startTime) <= START_TIME_TOLERANCE_MS;
    }

    private static long startTimeOf(final ProcessHandle process)
    {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }
}
