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
package io.aeroshmem.gpu.ptx;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A variable or a parameter: {@code .param .align 8 .b8 name[24]}. An array
 * whose length is empty is that of the launch.
 */
final class Variable
{
    private static final Pattern DECLARATION = Pattern.compile(
        "\\.(param|local|shared|const|global)(?:\\s+\\.align\\s+\\d+)?\\s+\\.(\\w+)(?:\\s+\\.align\\s+\\d+)?" +
        "\\s+([\\w$]+)\\s*(?:\\[(\\d*)])?(?:\\s*=.*)?", Pattern.DOTALL);

    final String space;
    final String name;
    final int bytes;
    final boolean isDynamic;

    private Variable(final String space, final String name, final int bytes, final boolean isDynamic)
    {
        this.space = space;
        this.name = name;
        this.bytes = bytes;
        this.isDynamic = isDynamic;
    }

    static Variable parse(final String declaration)
    {
        final Matcher matcher = DECLARATION.matcher(declaration.trim());
        if (!matcher.matches())
        {
            throw new UntranslatableException("declaration " + declaration);
        }

        final String length = matcher.group(4);
        final boolean isDynamic = null != length && length.isEmpty();
        final int count = null == length || isDynamic ? 1 : Integer.parseInt(length);
        return new Variable(
            matcher.group(1), matcher.group(3), PtxType.of(matcher.group(2)).bytes * count, isDynamic);
    }
}
