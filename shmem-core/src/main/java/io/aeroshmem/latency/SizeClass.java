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
package io.aeroshmem.latency;

/**
 * The classes of message sizes by which latencies are recorded. From 8 bytes on, the upper limit of each class is eight
 * times that of the previous class. The size of a message is the length in bytes of this PE's block, that is, of the
 * elements specified in the call.
 */
enum SizeClass
{
    /** 0 bytes: barriers, and calls without elements. */
    NONE("0B"),
    /** 1 to 8 bytes. */
    TO_8_B("to-8B"),
    /** 9 to 64 bytes. */
    TO_64_B("to-64B"),
    /** 65 to 512 bytes. */
    TO_512_B("to-512B"),
    /** 513 bytes to 4 KiB. */
    TO_4_KIB("to-4KiB"),
    /** Above 4 KiB, to 32 KiB. */
    TO_32_KIB("to-32KiB"),
    /** Above 32 KiB, to 256 KiB. */
    TO_256_KIB("to-256KiB"),
    /** Above 256 KiB, to 2 MiB. */
    TO_2_MIB("to-2MiB"),
    /** Above 2 MiB, to 16 MiB. */
    TO_16_MIB("to-16MiB"),
    /** Above 16 MiB. */
    ABOVE("above-16MiB");

    static final int COUNT = ABOVE.ordinal() + 1;

    /** Each class is this many powers of two wide. */
    private static final int BITS = 3;

    private final String label;

    SizeClass(final String label)
    {
        this.label = label;
    }

    /** Returns the name in tags and files, such as {@code to-8B}, without white space and commas. */
    String label()
    {
        return label;
    }

    /** Returns the ordinal of the class of a size in bytes. */
    static int indexOf(final long bytes)
    {
        if (bytes <= 0)
        {
            return 0;
        }

        // the power of two that holds it: 0 to 3 for the first class, 4 to 6 for the second
        final int power = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
        return Math.min(1 + Math.max(power - 1, 0) / BITS, COUNT - 1);
    }
}
