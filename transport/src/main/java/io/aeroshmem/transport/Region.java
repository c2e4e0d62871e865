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
package io.aeroshmem.transport;

/**
 * Numbers of the memory regions that an address (region, offset) can name. An address means the same on every PE and
 * every transport.
 */
public final class Region
{
    /** The user's symmetric heap. */
    public static final int USER = 0;

    /** The library's own symmetric memory: synchronisation flags and scratch. */
    public static final int SYSTEM = 1;

    /** A heap in device memory. */
    public static final int DEVICE = 2;

    private Region()
    {
    }
}
