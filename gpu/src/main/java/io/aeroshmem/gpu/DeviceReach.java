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

/**
 * How a PE reaches the device memory of a PE, and why in this way: see {@link Gpu#reach(int)}.
 *
 * @param way    by which operations on this memory are performed.
 * @param reason why: for {@link Way#ADDRESS} how the memory is mapped, otherwise what stands against an address, such
 *               as a call of CUDA and its error.
 */
public record DeviceReach(Way way, String reason)
{
    /** Ways to the device memory of a PE. */
    public enum Way
    {
        /** The memory has an address here: copies and kernels of the caller access it. */
        ADDRESS("by address"),
        /** The PE that owns the memory performs the operations, which it reads in the memory of the host. */
        OWNER("by its owner"),
        /** The PE that owns the memory performs the operations, which it receives as messages. */
        MESSAGES("by messages");

        private final String text;

        Way(final String text)
        {
            this.text = text;
        }
    }

    static DeviceReach byAddress(final String reason)
    {
        return new DeviceReach(Way.ADDRESS, reason);
    }

    static DeviceReach byOwner(final String reason)
    {
        return new DeviceReach(Way.OWNER, reason);
    }

    static DeviceReach byMessages(final String reason)
    {
        return new DeviceReach(Way.MESSAGES, reason);
    }

    /** Returns a phrase such as {@code by address (CUDA IPC)}. */
    @Override
    public String toString()
    {
        return way.text + " (" + reason + ")";
    }
}
