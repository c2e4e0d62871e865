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
package io.aeroshmem.simulation;

import java.lang.reflect.Field;

/** Private fields of the library, for tests that move its counters to where they are after years. */
public final class PrivateFields
{
    private PrivateFields()
    {
    }

    /** Returns the value of a field, which may be that of a superclass. */
    public static Object get(final Object owner, final String name)
    {
        try
        {
            return field(owner, name).get(owner);
        }
        catch (final IllegalAccessException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Sets a field, which may be that of a superclass. */
    public static void set(final Object owner, final String name, final Object value)
    {
        try
        {
            field(owner, name).set(owner, value);
        }
        catch (final IllegalAccessException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static Field field(final Object owner, final String name)
    {
        for (Class<?> type = owner.getClass(); null != type; type = type.getSuperclass())
        {
            for (final Field field : type.getDeclaredFields())
            {
                if (name.equals(field.getName()))
                {
                    field.setAccessible(true);
                    return field;
                }
            }
        }

        throw new IllegalStateException(owner.getClass() + " has no " + name);
    }
}
