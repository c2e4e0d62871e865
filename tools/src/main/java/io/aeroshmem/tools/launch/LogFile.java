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
package io.aeroshmem.tools.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/** File with the output of a process, as it was read. A failure is reported once, and ends the log. */
final class LogFile implements AutoCloseable
{
    private final OutputStream file;
    private final Consumer<IOException> onError;
    private boolean isFailed;

    /** Takes a file, which is not buffered, as it is read while the process runs. */
    LogFile(final OutputStream file, final Consumer<IOException> onError)
    {
        this.file = file;
        this.onError = onError;
    }

    void write(final byte[] bytes, final int count)
    {
        if (!isFailed)
        {
            try
            {
                file.write(bytes, 0, count);
            }
            catch (final IOException ex)
            {
                fail(ex);
            }
        }
    }

    /** A file system may refuse what was written as late as this. */
    @Override
    public void close()
    {
        try
        {
            file.close();
        }
        catch (final IOException ex)
        {
            fail(ex);
        }
    }

    private void fail(final IOException ex)
    {
        if (!isFailed)
        {
            isFailed = true;
            onError.accept(ex);
        }
    }
}
