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

import io.aeroshmem.InitStatus;
import io.aeroshmem.config.Arguments;
import jcuda.driver.CUmodule;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

import static io.aeroshmem.gpu.DeviceStateDescriptor.*;

/**
 * Registry of the program's CUDA modules whose kernels call the device-side API. A variable in each module records
 * whether the module is initialised. CUDA may give a new module the handle of a module that was unloaded. The registry
 * still detects that the new module is not initialised, because the variable of a module is zero when CUDA has loaded
 * the module.
 */
final class DeviceModules
{
    private final CudaDevice device;
    private final DeviceState state;
    private final DeviceErrors errors;
    private final int pe;
    private final UnsafeBuffer seen = new UnsafeBuffer(ByteBuffer.allocateDirect(STATE_LENGTH));
    private final UnsafeBuffer zeros = new UnsafeBuffer(ByteBuffer.allocateDirect(STATE_LENGTH));
    private final UnsafeBuffer fault = new UnsafeBuffer(ByteBuffer.allocateDirect(Long.BYTES));
    private final LongHashSet initialized = new LongHashSet();

    DeviceModules(final CudaDevice device, final DeviceState state, final DeviceErrors errors, final int pe)
    {
        this.device = device;
        this.state = state;
        this.errors = errors;
        this.pe = pe;
    }

    synchronized void init(final CUmodule module)
    {
        final long variable = variable(module);
        if (isInitialized(variable))
        {
            throw new IllegalStateException("the module is initialised already, by PE " + seen.getInt(MY_PE_OFFSET) +
                ": finalizeModule comes before the next initModule, and each PE loads a module of its own");
        }

        takeFault(module);
        state.write(variable, state.image());
        initialized.add(JCudaHandles.handleOf(module));
    }

    synchronized void end(final CUmodule module)
    {
        final long variable = variable(module);
        if (!isInitialized(variable) || seen.getInt(MY_PE_OFFSET) != pe)
        {
            throw new IllegalStateException("the module is not initialised by PE " + pe);
        }

        takeFault(module);
        state.write(variable, zeros);
        initialized.remove(JCudaHandles.handleOf(module));
    }

    /** Returns the status of this PE's device for a module that this PE has initialised. */
    synchronized InitStatus status(final CUmodule module, final InitStatus ofDevice)
    {
        final long variable = variable(module);
        return isInitialized(variable) && seen.getInt(MY_PE_OFFSET) == pe ? ofDevice : InitStatus.NOT_INITIALIZED;
    }

    /** Returns the number of modules that were initialised and not finalised. */
    synchronized int count()
    {
        return initialized.size();
    }

    /** Reads the state of a module; throws if it is that of another version. */
    private boolean isInitialized(final long variable)
    {
        state.read(variable, seen);
        final long version = seen.getLong(VERSION_OFFSET);
        if (0 != version && ABI_VERSION != version)
        {
            throw new IllegalArgumentException("module must be compiled with the aeroshmem_device.cuh of this" +
                " version, which `aeroshmem gpu-header` writes: its state has version " + version + ", not " +
                ABI_VERSION);
        }

        return 0 != version;
    }

    private long variable(final CUmodule module)
    {
        final long handle = JCudaHandles.handleOf(Arguments.notNull(module, "module"));
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            final long variable = device.driver().moduleGetGlobal(handle, STATE_VARIABLE);
            if (0 == variable)
            {
                throw new IllegalArgumentException("module must include aeroshmem_device.cuh and be compiled with" +
                    " -rdc=true: it has no variable " + STATE_VARIABLE);
            }

            final long length = device.driver().moduleGetGlobalSize(handle, STATE_VARIABLE);
            if (STATE_LENGTH != length)
            {
                throw new IllegalArgumentException("module must be compiled with the aeroshmem_device.cuh of this" +
                    " version, which `aeroshmem gpu-header` writes: its " + STATE_VARIABLE + " has " + length +
                    " bytes, not " + STATE_LENGTH);
            }

            return variable;
        }
    }

    private void takeFault(final CUmodule module)
    {
        final long variable;
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            variable = device.driver().moduleGetGlobal(JCudaHandles.handleOf(module), FAULT_VARIABLE);
        }

        if (0 != variable)
        {
            state.read(variable, fault);
            if (0 != fault.getLong(0))
            {
                fault.putLong(0, 0);
                state.write(variable, fault);
                errors.onFault();
            }
        }
    }
}
