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
package io.aeroshmem.gpu;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.rma.RmaContext;

/**
 * An operation that the {@link StreamProxy} of a stream performs: its routine, and the arguments that the routine may
 * read. Objects are reused.
 */
final class ProxyOperation
{
    static final Routine STORE = (context, args) ->
        context.putBits(args.width, args.dest, args.destOffset, args.value, args.pe);
    static final Routine UPDATE = (context, args) ->
        context.update(args.atomicOp, args.width, args.dest, args.destOffset, args.value, args.pe);
    static final Routine FETCH = (context, args) -> context.startFetch(
        args.atomicOp, args.width, args.other, args.otherOffset, args.dest, args.destOffset, args.value, args.cond,
        args.pe);

    /** Of the method that enqueued it. */
    String name;
    Routine routine;
    Team team;
    ReduceOp op;
    ElementType type;
    /** Code of an atomic operation, as in {@link io.aeroshmem.transport.AtomicOp}. */
    int atomicOp;
    /** Length of an element or a word, in bytes. */
    int width;
    SymmetricBuffer dest;
    long destOffset;
    /** Source of a copy or collective, or where the previous value is stored. */
    SymmetricBuffer other;
    long otherOffset;
    /** Value of an element or atomic operation, length of a copy, number of elements of a collective. */
    long value;
    /** Comparand of a compare-and-swap, root of a collective. */
    long cond;
    int pe;
    /** The next one in a list. */
    ProxyOperation next;

    /** Forgets the objects, so that they can be collected. */
    void clear()
    {
        name = null;
        routine = null;
        team = null;
        dest = null;
        other = null;
    }

    /**
     * Code of an operation. It calls the communication context, the team of a collective or, for a wait, the PE. The
     * proxy calls quiet afterwards. A routine is a lambda; one that captures nothing is allocated only once.
     */
    @FunctionalInterface
    interface Routine
    {
        void perform(RmaContext context, ProxyOperation operation);
    }
}
