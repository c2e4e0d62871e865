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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.transport.job.BoundedText;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The record by which a PE describes its device and its device heap to the other PEs during the set-up.
 * <pre>
 *   +0   state: no device, ready or failed
 *   +8   length of the device heap
 *   +16  address of the device heap in the PE's process
 *   +24  random id of the JVM
 *   +32  id of the device, 16 bytes
 *   +48  share of the device that MPS gives to the process, in percent; 0 without MPS
 *   +52  whether the device heap can be shared by CUDA IPC
 *   +56  CUDA IPC handle of the device heap, 64 bytes
 *   +120 handle of the CUDA context in the PE's process
 *   +128 length of the reason of a failure, or why the device heap is not shared; then the reason
 * </pre>
 * The random id shows whether two PEs are in one process. A process id would not suffice, because processes in
 * different PID namespaces may have the same id.
 */
final class DeviceRecord
{
    static final int LENGTH = 512;

    /** The PE has chosen no device. */
    static final int NONE = 0;
    /** The PE has set up its device. */
    static final int READY = 1;
    /** The PE has failed to set up its device. */
    static final int FAILED = 2;

    private static final int STATE = 0;
    private static final int HEAP_LENGTH = 8;
    private static final int HEAP_ADDRESS = 16;
    private static final int PROCESS = 24;
    private static final int UUID = 32;
    private static final int UUID_LENGTH = 16;
    private static final int MPS_SHARE = 48;
    private static final int IS_SHARED = 52;
    private static final int IPC_HANDLE = 56;
    private static final int CONTEXT = 120;
    private static final int REASON = 128;

    private static final long PROCESS_ID = new SecureRandom().nextLong();

    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    static DeviceRecord read(final SymmetricBuffer source, final int pe)
    {
        final DeviceRecord record = new DeviceRecord();
        source.view((long)pe * LENGTH, LENGTH).getBytes(0, record.buffer, 0, LENGTH);
        return record;
    }

    void ready(
        final long context,
        final byte[] uuid,
        final long heapAddress,
        final long heapLength,
        final int mpsShare)
    {
        buffer.putInt(STATE, READY);
        buffer.putLong(HEAP_ADDRESS, heapAddress);
        buffer.putLong(HEAP_LENGTH, heapLength);
        buffer.putLong(PROCESS, PROCESS_ID);
        buffer.putLong(CONTEXT, context);
        buffer.putBytes(UUID, uuid);
        buffer.putInt(MPS_SHARE, mpsShare);
    }

    /** Adds the CUDA IPC handle of the device heap. */
    void shared(final byte[] ipcHandle)
    {
        buffer.putInt(IS_SHARED, 1);
        buffer.putBytes(IPC_HANDLE, ipcHandle);
    }

    /** Adds why the device heap is not shared by CUDA IPC. */
    void notShared(final String reason)
    {
        buffer.putInt(IS_SHARED, 0);
        reason(reason);
    }

    void failed(final String reason)
    {
        buffer.putInt(STATE, FAILED);
        reason(reason);
    }

    private void reason(final String reason)
    {
        final byte[] bytes =
            BoundedText.cut(reason, LENGTH - REASON - Integer.BYTES).getBytes(StandardCharsets.UTF_8);
        buffer.putInt(REASON, bytes.length);
        buffer.putBytes(REASON + Integer.BYTES, bytes);
    }

    int state()
    {
        return buffer.getInt(STATE);
    }

    String reason()
    {
        final byte[] bytes = new byte[buffer.getInt(REASON)];
        buffer.getBytes(REASON + Integer.BYTES, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the handle of the CUDA context in the PE's process. */
    long context()
    {
        return buffer.getLong(CONTEXT);
    }

    long heapAddress()
    {
        return buffer.getLong(HEAP_ADDRESS);
    }

    long heapLength()
    {
        return buffer.getLong(HEAP_LENGTH);
    }

    int mpsShare()
    {
        return buffer.getInt(MPS_SHARE);
    }

    boolean isShared()
    {
        return 0 != buffer.getInt(IS_SHARED);
    }

    byte[] ipcHandle()
    {
        final byte[] handle = new byte[CudaConstants.IPC_MEM_HANDLE_BYTES];
        buffer.getBytes(IPC_HANDLE, handle);
        return handle;
    }

    /** Returns whether two PEs of one host are in one process. */
    boolean isSameProcess(final DeviceRecord other)
    {
        return buffer.getLong(PROCESS) == other.buffer.getLong(PROCESS);
    }

    /** Returns whether two PEs of one process use one CUDA context. */
    boolean isSameContext(final DeviceRecord other)
    {
        return context() == other.context();
    }

    boolean isSameDevice(final DeviceRecord other)
    {
        return Arrays.equals(uuid(), other.uuid());
    }

    /** Returns the UUID of the device, 16 bytes. */
    byte[] uuid()
    {
        final byte[] uuid = new byte[UUID_LENGTH];
        buffer.getBytes(UUID, uuid);
        return uuid;
    }
}
