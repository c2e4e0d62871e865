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
 * What an operation of a {@link LargeJob} has cost.
 *
 * @param pes            number of PEs.
 * @param hosts          number of hosts.
 * @param operation      the operation.
 * @param algorithms     that were selected, in their order.
 * @param rounds         length of the longest chain of messages, each of which was sent after the one before arrived.
 * @param messages       of all PEs.
 * @param bytes          of blocks and signals in all messages.
 * @param bound          of the algorithms.
 * @param maxSent        messages that the busiest PE has sent.
 * @param maxReceived    messages that the busiest PE has received.
 * @param maxSentBytes   bytes that the busiest PE has sent.
 * @param timeNs         from the begin on all PEs until the last has ended it, in virtual nanoseconds.
 * @param touchedBytes   of the system area of the PE with most, in pages that messages have touched.
 * @param privateBytes   of the JVM's heap and direct memory, for each PE.
 */
public record Figures(
    int pes,
    int hosts,
    Operation operation,
    String algorithms,
    int rounds,
    long messages,
    long bytes,
    Bound bound,
    long maxSent,
    long maxReceived,
    long maxSentBytes,
    long timeNs,
    long touchedBytes,
    long privateBytes)
{
    /** Returns the names of the columns of {@link #csv()}. */
    public static String csvHeader()
    {
        return "pes,hosts,op,algorithm,rounds,rounds_bound,messages,messages_bound,bytes,bytes_bound," +
            "max_messages_sent,max_messages_received,max_bytes_sent,time_ns,system_bytes,private_bytes";
    }

    /** Returns the values of a line of CSV; an unknown bound is empty. */
    public String csv()
    {
        return pes + "," + hosts + "," + operation + "," + algorithms + "," +
            rounds + "," + text(bound.rounds()) + "," +
            messages + "," + text(bound.messages()) + "," +
            bytes + "," + text(bound.bytes()) + "," +
            maxSent + "," + maxReceived + "," + maxSentBytes + "," + timeNs + "," + touchedBytes + "," + privateBytes;
    }

    /** Returns these figures without the memory of the JVM, which alone is not the same in each run. */
    Figures withoutPrivateBytes()
    {
        return new Figures(
            pes, hosts, operation, algorithms, rounds, messages, bytes, bound, maxSent, maxReceived, maxSentBytes,
            timeNs, touchedBytes, 0);
    }

    private static String text(final long bound)
    {
        return bound < 0 ? "" : Long.toString(bound);
    }
}
