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
package io.aeroshmem.tools.scale;

/**
 * Costs of a message in the LogGP model. A sender is busy for the overhead, and begins its next message after the gap,
 * or after the time that the bytes take if that is longer. The message arrives after overhead, bytes and latency; then
 * the receiver is busy for the overhead. So the messages from one PE to another arrive in order.
 *
 * @param latencyNs  time on the way in nanoseconds, 0 or more.
 * @param overheadNs time of a processor to send or to receive a message, in nanoseconds, 0 or more.
 * @param gapNs      least time between the beginnings of two messages of a PE, in nanoseconds, 0 or more.
 * @param byteNs     time of a byte in nanoseconds, 0 or more: the reciprocal of the bandwidth.
 */
public record Link(long latencyNs, long overheadNs, long gapNs, double byteNs)
{
    /** An assumed network of 100 Gbit/s. */
    public static final Link NETWORK = new Link(1_500, 300, 200, 0.08);

    /** Assumed stores to memory that PEs of one host share. */
    public static final Link HOST = new Link(100, 20, 20, 0.05);

    private static final int PARTS = 4;

    public Link
    {
        if (latencyNs < 0 || overheadNs < 0 || gapNs < 0 || !(byteNs >= 0) || Double.isInfinite(byteNs))
        {
            throw new IllegalArgumentException("the costs of a link must be >= 0 ns: " + latencyNs + "," + overheadNs +
                "," + gapNs + "," + byteNs);
        }
    }

    /**
     * Returns the link of a text: latency, overhead, gap and time of a byte, in nanoseconds, separated by commas.
     *
     * @throws IllegalArgumentException if it has not this form, or a cost is less than 0.
     */
    public static Link parse(final String text)
    {
        final String[] parts = text.split(",");
        try
        {
            if (PARTS == parts.length)
            {
                return new Link(
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    Double.parseDouble(parts[3]));
            }
        }
        catch (final NumberFormatException ignored)
        {
            // as of any other form
        }

        throw new IllegalArgumentException(
            "a link must be latency,overhead,gap,byte in nanoseconds, such as 1500,300,200,0.08: " + text);
    }

    @Override
    public String toString()
    {
        return latencyNs + "," + overheadNs + "," + gapNs + "," + byteNs;
    }
}
