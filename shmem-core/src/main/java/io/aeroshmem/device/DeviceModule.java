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
package io.aeroshmem.device;

import io.aeroshmem.InitStatus;

/**
 * The callbacks of a module that supports a device. The library calls them while the module is attached to a PE, see
 * {@link io.aeroshmem.Shmem#attach}.
 */
public interface DeviceModule
{
    /** Returns the state of the set-up that the PE reports while the module is attached. */
    InitStatus initStatus();

    /**
     * Completes the set-up, if it is not complete. Collective over the job: every barrier or sync of the whole job
     * calls it first, on all PEs.
     */
    void complete();

    /** Releases the device, because the PE closes. Local, after the last operation of the PE. */
    void onClose();
}
