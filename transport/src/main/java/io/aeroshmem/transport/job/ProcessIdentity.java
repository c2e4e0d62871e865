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
 * One process of this host, named so that a later process which happens to get the same pid is not taken for it.
 *
 * @param pid       process id in this process's own pid namespace.
 * @param startTime milliseconds since the epoch at which it started, 0 where unknown.
 */
public record ProcessIdentity(long pid, long startTime)
{
    /**
     * Start times of one process read by two JVMs may differ by this much: Linux tells ticks since boot, and each JVM
     * adds the time of boot, which the kernel gives in whole seconds and moves when the clock is adjusted.
     */
    static final long START_TIME_TOLERANCE_MS = 2_000;

    /**
     * This process.
     *
     * @return its pid and start time.
     */
    public static ProcessIdentity current()
    {
        return of(ProcessHandle.current());
    }

    /**
     * The process behind a handle.
     *
     * @param process a process.
     * @return its pid and start time.
     */
    public static ProcessIdentity of(final ProcessHandle process)
    {
        return new ProcessIdentity(process.pid(), startTimeOf(process));
    }

    /**
     * Whether this very process is alive and visible from here.
     *
     * @return false when it has ended, when its pid belongs to another now, or when it lives in another pid namespace.
     */
    public boolean isAlive()
    {
        return find().filter(ProcessHandle::isAlive).isPresent();
    }

    /**
     * Kills it at once ({@code SIGKILL}), if it is this very process and not another with its pid. A process whose
     * start time is not known on both sides is left alone.
     *
     * @return true if the signal was sent.
     */
    public boolean kill()
    {
        return 0 != startTime &&
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
