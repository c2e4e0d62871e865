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
package io.aeroshmem.tools.latency;

import java.util.Locale;

/** Kind of memory of the measured buffers. */
public enum HeapKind
{
    /** The heap of the host. */
    HOST,

    /** The heap of the host, registered with CUDA. */
    PINNED,

    /** The heap of a device. */
    DEVICE;

    /** Returns the name on the command line, in headings and in file names. */
    public String lowerCaseName()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString()
    {
        return lowerCaseName();
    }
}
