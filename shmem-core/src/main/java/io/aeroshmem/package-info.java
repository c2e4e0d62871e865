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

/**
 * The public API of AeroSHMEM: the types that an application imports.
 * <p>
 * A job is a set of processing elements (PEs). Every PE owns a symmetric heap; any PE may put to, get from and
 * atomically update the heap of any other, and teams of PEs run collectives. This page specifies what all calls have in
 * common.
 *
 * <h2>Units</h2>
 * Offsets, lengths and sizes are in bytes unless specified otherwise; an offset counts from the start of its
 * {@link io.aeroshmem.SymmetricBuffer}. Element counts and strides are in elements.
 *
 * <h2>Errors</h2>
 * Arguments are checked before anything is sent, and the message names the argument:
 * <ul>
 *     <li>{@link java.lang.IllegalArgumentException}: {@code pe} is not a rank of the team; a required object is null,
 *     as in "dest is null", or a buffer belongs to another PE or another job; an atomic or a signal is not aligned to
 *     its own size; a stride or an element size is not allowed; a local buffer to be written is read-only. Null is
 *     accepted for a buffer or an array of 0 elements, as {@link io.aeroshmem.Shmem#malloc} returns it for 0
 *     bytes;</li>
 *     <li>{@link java.lang.IndexOutOfBoundsException}: offset and length do not lie within the buffer;</li>
 *     <li>{@link java.lang.IllegalStateException}: the buffer was freed, or the context, its team or the job is
 *     closed.</li>
 * </ul>
 * A blocked call ends with an exception in these cases:
 * <ul>
 *     <li>the job fails: the {@link io.aeroshmem.ShmemException} that reports the cause, which
 *     {@link io.aeroshmem.Shmem#failure()} returns too;</li>
 *     <li>the thread is interrupted: {@link io.aeroshmem.ShmemInterruptedException}; the interrupt flag is kept;</li>
 *     <li>the call exceeds {@link io.aeroshmem.Shmem.Context#operationTimeoutNs()}:
 *     {@link io.aeroshmem.ShmemTimeoutException}, unless the call is documented to have no time limit.</li>
 * </ul>
 * After a failure of the job these calls throw the same exception, also where they have nothing to wait for: waits,
 * tests, locks, collectives, calls on the heap, {@link io.aeroshmem.Shmem#signalFetch signalFetch},
 * {@link io.aeroshmem.Shmem#progress progress}, {@link io.aeroshmem.Shmem#createContext createContext}, blocking gets,
 * fetching atomics, {@link io.aeroshmem.CommunicationContext#fence() fence},
 * {@link io.aeroshmem.CommunicationContext#quiet() quiet},
 * {@link io.aeroshmem.CommunicationContext#testQuiet() testQuiet} and
 * {@link io.aeroshmem.CommunicationContext#sessionStop() sessionStop}. Puts, signals, other atomics and nonblocking
 * operations throw it only if they have to wait.
 * <p>
 * If a blocking collective ends with an exception (a timeout, for example) after it has begun, further blocking
 * collectives on the team throw {@link java.lang.IllegalStateException}. The team can then only be closed; if it is a
 * predefined team, the job must end. Until the job ends, other members may continue the failed call: they may read this
 * PE's source buffer and write this PE's dest buffer. Do not free or reuse these two buffers.
 *
 * <h2>Memory ordering</h2>
 * The modes in the table are those of {@link java.lang.invoke.VarHandle}.
 * <table>
 *     <caption>Ordering of each operation, on all transports</caption>
 *     <tr><th>operation</th><th>ordering</th></tr>
 *     <tr><td>single-element put and get</td><td>opaque; aligned elements of 2, 4 and 8 bytes never tear</td></tr>
 *     <tr><td>block put and get</td><td>plain; may tear</td></tr>
 *     <tr><td>signal, alone or of a put-with-signal</td><td>release; the
 *     signal of a put-with-signal is visible only after the data of the put</td></tr>
 *     <tr><td>atomics</td><td>volatile, sequentially consistent per word; natural alignment required</td></tr>
 *     <tr><td>{@link io.aeroshmem.CommunicationContext#fence() fence}</td><td>release: at each PE, the context's
 *     earlier puts, atomics and signals take effect before its later ones; gets are not ordered</td></tr>
 *     <tr><td>{@link io.aeroshmem.CommunicationContext#quiet() quiet}</td><td>full fence: all earlier operations of
 *     the context are complete, and visible to all PEs</td></tr>
 * </table>
 */
package io.aeroshmem;
