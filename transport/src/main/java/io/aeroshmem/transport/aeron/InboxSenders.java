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

/**
 * The streams that the job's drivers send to a UDP inbox: their Aeron sessions are numbers from a first one, which
 * follows from the job's token, and they have one term length. The inbox's channel carries this description to the
 * driver, which drops every other datagram before it has any effect: without it any sender would make the driver
 * allocate a log buffer, of the length that the sender names, for each session that the sender invents.
 *
 * @param firstSession the session of sender 0.
 * @param count        of senders, and of sessions.
 * @param termLength   of their streams, in bytes.
 */
public record InboxSenders(int firstSession, int count, int termLength)
{
    private static final String SEPARATOR = ":";

    /** Reads what {@link #toString} has written. */
    public static InboxSenders parse(final String text)
    {
        final String[] numbers = text.split(SEPARATOR);
        if (3 != numbers.length)
        {
            throw new IllegalArgumentException("senders must be session:count:length: " + text);
        }

        return new InboxSenders(
            Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
    }

    int session(final int sender)
    {
        return firstSession + sender;
    }

    /** Returns whether a session is that of a sender. */
    public boolean isSession(final int sessionId)
    {
        final int sender = sessionId - firstSession;
        return sender >= 0 && sender < count;
    }

    @Override
    public String toString()
    {
        return firstSession + SEPARATOR + count + SEPARATOR + termLength;
    }
}
