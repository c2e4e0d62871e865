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

/**
 * States of the media driver that the creator of a job starts on the first request of a PE. The state never decreases.
 */
public final class DriverState
{
    /** No PE has requested a driver. */
    public static final int NONE = 0;

    /** A PE has requested a driver, which the creator is to start. */
    public static final int WANTED = 1;

    /** The driver is ready in the job's {@code aeron} directory. */
    public static final int READY = 2;

    /** The driver could not be started or has ended; see {@link ControlFile#driverMessage()}. */
    public static final int FAILED = 3;

    private DriverState()
    {
    }

    /** Returns the name of a state, or the number if it is unknown. */
    public static String name(final int state)
    {
        return switch (state)
        {
            case NONE -> "NONE";
            case WANTED -> "WANTED";
            case READY -> "READY";
            case FAILED -> "FAILED";
            default -> Integer.toString(state);
        };
    }
}
