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
 * Checks of arguments that every routine of the API makes alike.
 */
public final class Arguments
{
    private Arguments()
    {
    }

    /**
     * Checks that an argument is given. Free where the value is used next, as the JVM checks that it is not null then.
     *
     * @param <T>   its type.
     * @param value of the argument.
     * @param name  of the argument.
     * @return the value.
     * @throws IllegalArgumentException if it is null; the message names the argument.
     */
    public static <T> T notNull(final T value, final String name)
    {
        if (null == value)
        {
            throw new IllegalArgumentException(name + " is null");
        }

        return value;
    }
}
