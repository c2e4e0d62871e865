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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.job.ControlCounter;
import io.aeroshmem.transport.job.ControlFile;

/**
 * Counters of the frames and records that this PE has sent, in its part of the control file. Under the engine's lock.
 */
final class SentCounters
{
    private final ControlFile control;
    private final int pe;
    private long frames;
    private long records;

    SentCounters(final ControlFile control, final int pe)
    {
        this.control = control;
        this.pe = pe;
    }

    /** Counts a frame; {@code recordCount} is 0 for an acknowledgement alone. */
    void onFrameSent(final int recordCount)
    {
        frames++;
        records += recordCount;
        control.counter(pe, ControlCounter.FRAMES_SENT, frames);
        control.counter(pe, ControlCounter.RECORDS_SENT, records);
    }
}
