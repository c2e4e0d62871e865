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

import java.io.PrintStream;

/**
 * Line by which PE 0 reports to {@code aeroshmem latency} or {@code aeroshmem bandwidth} what is being measured. The
 * command shows the line on its terminal, and removes it from the output of the PE.
 */
public final class ProgressLine
{
    /** Begins a line of progress, which ends as any other. No row contains it. */
    public static final char MARK = '\u0001';

    private ProgressLine()
    {
    }

    static void print(final PrintStream output, final int number, final int of, final String text)
    {
        output.print(MARK + "[" + number + "/" + of + "] " + text + "\n");
        output.flush();
    }
}
