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

import io.aeroshmem.Shmem;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The entry point to a module that adds the memory of a device to a PE. A program that must also run without such a
 * module uses this interface. {@link ServiceLoader} finds the module. The native library of the device's driver is not
 * loaded before the first call of one of the module's methods.
 */
public interface DeviceProvider
{
    /** Returns the module on the class path, or null if there is none. */
    static DeviceProvider find()
    {
        return ServiceLoader.load(DeviceProvider.class).findFirst().orElse(null);
    }

    /** Describes the devices of this host. Throws nothing: that none can be used is a part of the report. */
    DeviceReport report();

    /**
     * Finds out how processes share a device and its memory: starts one that opens memory of this one. Throws nothing.
     *
     * @param device its number in the report; a PE can use it.
     * @param java   command that starts a JVM, with the options that the library requires.
     * @return one statement in each element.
     */
    List<String> sharing(int device, List<String> java);

    /**
     * Attaches the device that the properties specify, and sets up its heap. Collective over the job.
     *
     * @param shmem the PE.
     * @return the device, to be closed before the PE, on all PEs.
     */
    AttachedDevice attach(Shmem shmem);

    /**
     * Returns the texts by name of the header for kernels that communicate, which is the first, and of the headers that
     * it includes.
     *
     * @throws IOException if a header is missing on the class path.
     */
    Map<String, String> headers() throws IOException;
}
