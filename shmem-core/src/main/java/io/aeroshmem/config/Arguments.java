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
package io.aeroshmem.config;

/**
 * Argument checks common to all routines of the API. A message gives the name, the rule and the value:
 * {@code alignment must be a power of two: alignment=3}.
 */
public final class Arguments
{
    private Arguments()
    {
    }

    /**
     * Returns an argument that must not be null. Free where the value is used next, as the JVM checks for null then.
     */
    public static <T> T notNull(final T value, final String name)
    {
        if (null == value)
        {
            throw new IllegalArgumentException(name + " is null");
        }

        return value;
    }

    /** Checks that a number, a count or a size is not negative. */
    public static void notNegative(final long value, final String name)
    {
        if (value < 0)
        {
            throw mustBe(name, ">= 0", value);
        }
    }

    /** Returns the exception for an argument that breaks its rule. */
    public static IllegalArgumentException mustBe(final String name, final String rule, final Object value)
    {
        return new IllegalArgumentException(name + " must be " + rule + ": " + name + "=" + value);
    }

    /** Returns the exception for an argument that breaks its rule. */
    public static IllegalArgumentException mustBe(final String name, final String rule, final long value)
    {
        return mustBe(name, rule, (Object)value);
    }
}
