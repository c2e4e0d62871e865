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

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.function.Consumer;

/**
 * Input stream over the output of a process. Every byte that is read is also written to a log file. A failure to write
 * the log is reported once. Reading then continues without the log.
 */
final class LoggedInput extends FilterInputStream
{
    private final OutputStream log;
    private final Consumer<IOException> onWriteError;
    private boolean isFailed;

    /** Takes both streams, which it closes. {@code log} is not buffered, as it is read while the process runs. */
    LoggedInput(final InputStream source, final OutputStream log, final Consumer<IOException> onWriteError)
    {
        super(source);
        this.log = log;
        this.onWriteError = onWriteError;
    }

    @Override
    public int read() throws IOException
    {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(final byte[] bytes, final int offset, final int length) throws IOException
    {
        final int count = super.read(bytes, offset, length);
        if (count > 0 && !isFailed)
        {
            try
            {
                log.write(bytes, offset, count);
            }
            catch (final IOException ex)
            {
                fail(ex);
            }
        }

        return count;
    }

    @Override
    public void close() throws IOException
    {
        try
        {
            super.close();
        }
        finally
        {
            closeLog();
        }
    }

    /** A file system may refuse what was written as late as this. */
    private void closeLog()
    {
        try
        {
            log.close();
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
            onWriteError.accept(ex);
        }
    }
}
