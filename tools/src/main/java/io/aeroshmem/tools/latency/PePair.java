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
package io.aeroshmem.tools.latency;

/**
 * Ordered pair of PEs: one PE calls, the other is the target.
 *
 * @param from the PE that calls and times.
 * @param to   the target.
 */
public record PePair(int from, int to)
{
    /** Returns the suffix of the operation's name in CSV rows. */
    String suffix()
    {
        return "_" + from + "_to_" + to;
    }
}
