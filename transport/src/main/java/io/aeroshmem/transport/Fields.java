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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Finds the handles by which classes access their fields with a memory ordering. */
public final class Fields
{
    private Fields()
    {
    }

    /** Returns the handle of a field of the class that has made the lookup. */
    public static VarHandle handle(final MethodHandles.Lookup lookup, final String name, final Class<?> type)
    {
        return handle(lookup, lookup.lookupClass(), name, type);
    }

    /** Returns the handle of a field of a class that the class that has made the lookup can access. */
    public static VarHandle handle(
        final MethodHandles.Lookup lookup, final Class<?> owner, final String name, final Class<?> type)
    {
        try
        {
            return lookup.findVarHandle(owner, name, type);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }
}
