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
 * CUDA for AeroSHMEM: pinned and device heaps, streams, and the device-side API.
 * <p>
 * This module uses the GPU through the CUDA driver API only. Nothing of CUDA is loaded before a program creates a
 * {@link io.aeroshmem.gpu.Gpu}, or requests a report on the devices of the host. The operations of
 * {@link io.aeroshmem.gpu.GpuStream} that differ by the type of their elements alone are generated from a template in
 * {@code src/main/typed}.
 *
 * <h2>Life cycle of a device</h2>
 * {@link io.aeroshmem.gpu.Gpu#init} attaches a GPU to the PE; {@link io.aeroshmem.Shmem#initStatus()} is then
 * {@link io.aeroshmem.InitStatus#BOOTSTRAPPED}. The calls that set up the device part, the device and its heap, are
 * collective, so it is set up on all PEs or on none. If no PE specifies a device or has a current CUDA context,
 * barrierAll and syncAll work without the device part, and the allocating calls throw
 * {@link io.aeroshmem.gpu.GpuException}. After {@link io.aeroshmem.gpu.Gpu#close()} the status is
 * {@link io.aeroshmem.InitStatus#INITIALIZED}, as without a GPU.
 * <p>
 * A device that {@link io.aeroshmem.gpu.Gpu.Context#device(int)} or the property {@code aeroshmem.gpu.device} specifies
 * is used in its primary context. If neither specifies a device, the PE uses the context that is current on the thread
 * that sets up the device part, and the device of this context. Every call makes the context current on the calling
 * thread, and restores the previous one before it returns.
 *
 * <h2>Operations of streams</h2>
 * The device performs these operations, by copies and kernels in the stream:
 * <ul>
 *     <li>puts, gets, signals, waits and atomic operations, if the device reaches all operands by address. The
 *     operands are then in device heaps, or in pinned host heaps that this process maps;</li>
 *     <li>barrier, sync and reduce of the world, if every PE reaches the heaps of all PEs by address, and there are at
 *     most 256 PEs.</li>
 * </ul>
 * A wait for a long that is equal to a value, or not less than one &gt;= 0, occupies no multiprocessor if the device
 * has CUDA's stream memory operations. Other waits are kernels of one thread, which poll.
 * <p>
 * A thread of the library performs all other operations, and the stream waits for that thread. Two kinds of operations
 * are performed by the thread even if the device reaches all operands:
 * <ul>
 *     <li>block copies between overlapping ranges;</li>
 *     <li>atomic operations on host memory, and additions to signals there, if the device's atomic operations are not
 *     atomic with respect to those of the processors.</li>
 * </ul>
 * Operations of a stream follow one another. So fence has nothing to order, and quiet has nothing to wait for.
 * Operations of a stream and operations that a program calls on the host are ordered only by a synchronisation of the
 * stream, or by an event recorded in it. If the job fails, waits that are enqueued on streams end; a word that a
 * stream waits for may then be set to the awaited value.
 *
 * <h2>CUDA graphs</h2>
 * While a stream is being captured into a graph, the operations that the device performs are captured, the collectives
 * of the world among them. Each launch of the graph performs them anew, with the same arguments: a wait waits for the
 * same value again. All PEs launch graphs with the same collectives in the same order. An operation that a thread of
 * the library would perform throws {@link java.lang.IllegalStateException}: the thread performs it only once. The
 * capture mode is CU_STREAM_CAPTURE_MODE_RELAXED; others forbid CUDA calls that threads of the library make meanwhile.
 * A graph is not launched after the stream or the GPU is closed.
 */
package io.aeroshmem.gpu;
