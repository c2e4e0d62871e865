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

import org.agrona.UnsafeApi;

import static io.aeroshmem.gpu.DeviceStateDescriptor.*;

/**
 * Receives the errors that kernels detect in calls of the device-side API. The kernels of all modules that a PE has
 * initialised report through one record, which holds one error at a time. A kernel of any other module sets a variable
 * of its module instead, which {@link DeviceModules} reads.
 * <p>
 * A kernel that detects an error claims the record by an atomic operation on a word in device memory. Then it fills the
 * record, which is in pinned memory, and stores the record's state last, with release. The host loads the state with
 * acquire and reads the error. Then it resets the state, and finally the word, which ends the claim. Errors that occur
 * while the record is claimed are not recorded. If CUDA fails, the host cannot reset the word, but then no kernel runs
 * any more.
 */
final class DeviceErrors
{
    private static final int NOT_INITIALIZED = 1;
    private static final String[] CODES = {
        "no error",
        "the module is not initialised: Gpu.initModule comes first",
        "pe must be one of the world or the team",
        "team must be a handle that Gpu.handle has returned",
        "address must be of a symmetric buffer of this PE",
        "an argument is out of range or misaligned",
        "the wait ended, because the job has failed",
        "the host could not perform the request",
        "the request is malformed"
    };
    /** By the values of {@code Routine} in {@code aeroshmem_device_state.cuh}. */
    private static final String[] ROUTINES = {
        "a routine",
        "put",
        "get",
        "p",
        "g",
        "iput",
        "iget",
        "put_signal",
        "signal_op",
        "signal_fetch",
        "signal_wait_until",
        "an atomic operation",
        "wait_until",
        "test",
        "fence",
        "quiet",
        "barrier",
        "sync",
        "broadcast",
        "collect",
        "fcollect",
        "alltoall",
        "reduce",
        "reducescatter",
        "ptr",
        "a query of a team",
        "a query",
        "global_exit"
    };

    private final StreamErrors errors;
    private final DeviceState state;
    private final int pe;

    /**
     * @param errors notified of errors.
     */
    DeviceErrors(final StreamErrors errors, final DeviceState state, final int pe)
    {
        this.errors = errors;
        this.state = state;
        this.pe = pe;
    }

    /** Takes the recorded error, if there is one. */
    synchronized void poll()
    {
        final long record = state.error();
        if (0 != UnsafeApi.getLongAcquire(null, record + ERROR_STATE_OFFSET))
        {
            final GpuException error = new GpuException(text(
                name(ROUTINES, UnsafeApi.getInt(record + ERROR_ROUTINE_OFFSET), "routine "),
                name(CODES, UnsafeApi.getInt(record + ERROR_CODE_OFFSET), "error "),
                UnsafeApi.getLong(record + ERROR_PE_OFFSET),
                UnsafeApi.getLong(record + ERROR_ADDRESS_OFFSET),
                UnsafeApi.getLong(record + ERROR_VALUE_OFFSET)), null);
            UnsafeApi.putLongRelease(null, record + ERROR_STATE_OFFSET, 0);
            errors.onError(error);
            try
            {
                state.clearErrorClaim();
            }
            catch (final GpuException ex)
            {
                // A fault of the kernel has ended the context: the recorded error explains it.
                error.addSuppressed(ex);
            }
        }
    }

    /** Reports an error that this process has found. */
    void onError(final RuntimeException error)
    {
        errors.onError(error);
    }

    /** Reports that a kernel called a routine in a module that is not initialised. */
    void onFault()
    {
        errors.onError(new GpuException("a kernel of PE " + pe + " called a routine: " + CODES[NOT_INITIALIZED], null));
    }

    private String text(
        final String routine, final String code, final long peer, final long address, final long value)
    {
        return "a kernel of PE " + pe + " called " + routine + ": " + code + ": pe=" + peer +
            ", address=0x" + Long.toHexString(address) + ", value=" + value;
    }

    private static String name(final String[] names, final int number, final String otherwise)
    {
        return number >= 0 && number < names.length ? names[number] : otherwise + number;
    }
}
