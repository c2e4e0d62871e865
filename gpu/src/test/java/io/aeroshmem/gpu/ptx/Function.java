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

import java.util.List;

/**
 * A kernel ({@code .entry}) or a function ({@code .func}). The statements of its body are instructions, directives,
 * labels (which end in a colon), and the braces of blocks. Without a body it is a declaration.
 */
final class Function
{
    final boolean isKernel;
    final String name;
    /** Null: the function returns nothing. */
    final Variable result;
    final List<Variable> parameters;
    final List<String> body;

    Function(
        final boolean isKernel, final String name, final Variable result, final List<Variable> parameters,
        final List<String> body)
    {
        this.isKernel = isKernel;
        this.name = name;
        this.result = result;
        this.parameters = parameters;
        this.body = body;
    }
}
