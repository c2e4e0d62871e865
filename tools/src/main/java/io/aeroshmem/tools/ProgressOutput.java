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
package io.aeroshmem.tools;

import io.aeroshmem.tools.latency.ProgressLine;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Filter of the output of a measured job: removes {@linkplain ProgressLine progress lines} from it, and shows each on
 * the terminal in place of the previous one. It erases the progress line before it writes anything else, because the
 * output may be the same terminal. The {@link PrintStream} around this stream serialises the writers.
 */
final class ProgressOutput extends OutputStream
{
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream output;
    private final PrintStream terminal;
    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
    private boolean isProgress;
    private boolean isShown;

    ProgressOutput(final PrintStream output, final PrintStream terminal)
    {
        this.output = output;
        this.terminal = terminal;
    }

    @Override
    public void write(final int value)
    {
        if (ProgressLine.MARK == value)
        {
            isProgress = true;
        }
        else if (!isProgress)
        {
            erase();
            output.write(value);
        }
        else if ('\n' == value)
        {
            show();
        }
        else
        {
            progress.write(value);
        }
    }

    @Override
    public void flush()
    {
        output.flush();
    }

    private void show()
    {
        terminal.print(ERASE + progress.toString(StandardCharsets.UTF_8));
        terminal.flush();
        progress.reset();
        isProgress = false;
        isShown = true;
    }

    /** Erases the line of progress, if there is one. */
    void erase()
    {
        if (isShown)
        {
            terminal.print(ERASE);
            terminal.flush();
            isShown = false;
        }
    }
}
