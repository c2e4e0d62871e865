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
package io.aeroshmem.simulation;

/**
 * What happened in a world, in order: without addresses, tokens, pids and thread names, so that it is the same for the
 * same seed. An operation of a PE on the memory of another is named with what it reaches and the hash of its payload.
 * The hash is of all of it; the last entries are kept for a report.
 */
public final class Trace
{
    private static final int KEPT = 64;
    private static final int NONE = -1;
    private static final String WHOLE_PROPERTY = "aeroshmem.test.trace";

    private final String[] operations = new String[KEPT];
    private final long[] times = new long[KEPT];
    private final int[] pes = new int[KEPT];
    private final int[] peers = new int[KEPT];
    private final int[] regions = new int[KEPT];
    private final long[] offsets = new long[KEPT];
    private final long[] lengths = new long[KEPT];
    private final long[] values = new long[KEPT];
    private final StringBuilder all;
    private long length;
    private long hash = 0xCBF29CE484222325L;

    public Trace()
    {
        all = Boolean.getBoolean(WHOLE_PROPERTY) ? new StringBuilder() : null;
    }

    /** Adds something that happens to a PE. */
    void add(final long timeNs, final int pe, final String operation, final long value)
    {
        add(timeNs, pe, operation, NONE, 0, 0, 0, value);
    }

    /** Adds an operation of a PE on a peer's memory. */
    public void add(
        final long timeNs,
        final int pe,
        final String operation,
        final int peer,
        final int region,
        final long offset,
        final long bytes,
        final long value)
    {
        final int index = (int)(length++ % KEPT);
        operations[index] = operation;
        times[index] = timeNs;
        pes[index] = pe;
        peers[index] = peer;
        regions[index] = region;
        offsets[index] = offset;
        lengths[index] = bytes;
        values[index] = value;
        mix(timeNs);
        mix(pe);
        mix(operation.hashCode());
        mix(value);
        if (NONE != peer)
        {
            mix((long)peer << 32 | region);
            mix(offset);
            mix(bytes);
        }

        if (null != all)
        {
            all.append(text(index, length - 1)).append('\n');
        }
    }

    /** Mixes into the hash what has no entry. */
    public void mix(final long value)
    {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 29;
    }

    /** Returns how many entries there are. */
    public long length()
    {
        return length;
    }

    public long hash()
    {
        return hash;
    }

    /** Returns the last entries, or all if the world keeps them. */
    @Override
    public String toString()
    {
        if (null != all)
        {
            return all.toString();
        }

        final StringBuilder text = new StringBuilder();
        for (long i = Math.max(0, length - KEPT); i < length; i++)
        {
            text.append(text((int)(i % KEPT), i)).append('\n');
        }

        return text.toString();
    }

    private String text(final int index, final long sequence)
    {
        final String place = NONE == peers[index] ? "" :
            "PE " + peers[index] + " region " + regions[index] + " offset " + offsets[index] + " length " +
                lengths[index] + " ";
        return sequence + " " + times[index] + " ns PE " + pes[index] + " " + operations[index] + " " + place +
            Long.toHexString(values[index]);
    }
}
