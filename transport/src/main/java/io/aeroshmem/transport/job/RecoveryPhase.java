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

/** A phase of the recovery that begins a generation; its end has a time in the control file of this generation. */
public enum RecoveryPhase
{
    /** Until a process has reported the failure of the generation before. */
    DETECTED("detected"),

    /** Until the PEs of the generation are known: those before have ended, or take part again. */
    MEMBERS_KNOWN("members known"),

    /** Until the processes that are missing were started. */
    STARTED("started"),

    /** Until the PE is connected to all others. */
    JOINED("joined"),

    /** Until the PE has found its retained memory, and its task begins. */
    RUNNING("running");

    private final String text;

    RecoveryPhase(final String text)
    {
        this.text = text;
    }

    /** Returns whether each PE has an end of its own. */
    boolean isOfPe()
    {
        return compareTo(STARTED) > 0;
    }

    @Override
    public String toString()
    {
        return text;
    }
}
