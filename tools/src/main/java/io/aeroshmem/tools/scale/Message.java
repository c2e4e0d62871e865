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

import io.aeroshmem.transport.Pending;

/** A message under way, or one of the unused ones that {@link LargeJob} keeps. */
final class Message implements Comparable<Message>
{
    /** What it does at its target: stores a block, a signal, or both in this order. */
    static final int PUT = 0;
    /** Reads a block, and sends a {@link #REPLY}. */
    static final int GET = 1;
    /** Stores the block into private memory of the PE that has asked for it. */
    static final int REPLY = 2;

    private static final byte[] EMPTY = {};

    int kind;
    long arrivalNs;
    long number;
    int source;
    int target;
    int rounds;
    /** Of the block at the target. */
    long address;
    byte[] block = EMPTY;
    long length;
    /** Of the signal, or 0 if there is none. */
    long signalAddress;
    long value;
    int signalOperation;
    /** Of a get: where the block is to be. */
    Object dest;
    long destAddress;
    Pending pending;

    @Override
    public int compareTo(final Message other)
    {
        final int order = Long.compare(arrivalNs, other.arrivalNs);
        return 0 == order ? Long.compare(number, other.number) : order;
    }
}
