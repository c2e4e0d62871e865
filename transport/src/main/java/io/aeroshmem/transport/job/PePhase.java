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
 * Phases in the life of a PE, as stored in its cell of the control file. The phase of a PE never decreases.
 */
public final class PePhase
{
    /** The PE has not joined yet. */
    public static final int ABSENT = 0;

    /** Its join record can be read. */
    public static final int RECORDED = 1;

    /** It has read the join records of all others. */
    public static final int EXCHANGED = 2;

    /** Its inboxes exist, and its join record names them. */
    public static final int LISTENING = 3;

    /** It is connected to every other PE. */
    public static final int CONNECTED = 4;

    /** The application runs. */
    public static final int RUNNING = 5;

    /** The application has called close, and what the PE issued before is complete: it sends nothing more. */
    public static final int FINALIZING = 6;

    /** It is leaving, as all PEs are {@link #FINALIZING}, or as it is closed without having been connected. */
    public static final int CLOSING = 7;

    /** It has left after a failure of the job; the end of its process is no longer a failure. */
    public static final int FAILED = 8;

    /** It has left as {@link #FAILED}, but the job had not failed: the PE has done its part, and is not recovered. */
    public static final int CLOSED = 9;

    private PePhase()
    {
    }

    /** Returns whether a PE has left. */
    public static boolean hasLeft(final int phase)
    {
        return phase >= FAILED;
    }

    /** Returns the name of a phase, or the number if it is unknown. */
    public static String name(final int phase)
    {
        return switch (phase)
        {
            case ABSENT -> "ABSENT";
            case RECORDED -> "RECORDED";
            case EXCHANGED -> "EXCHANGED";
            case LISTENING -> "LISTENING";
            case CONNECTED -> "CONNECTED";
            case RUNNING -> "RUNNING";
            case FINALIZING -> "FINALIZING";
            case CLOSING -> "CLOSING";
            case FAILED -> "FAILED";
            case CLOSED -> "CLOSED";
            default -> Integer.toString(phase);
        };
    }
}
