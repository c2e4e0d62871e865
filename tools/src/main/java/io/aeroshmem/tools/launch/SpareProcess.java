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

import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.transport.job.SpareFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A child process that runs {@link SparePe}. Its output is read once it has a PE; until then it prints nothing, and if
 * it ends, what it has printed is the reason.
 */
final class SpareProcess implements Spares.Spare
{
    private static final long END_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int MAX_REASON = 4096;

    private final SpareFile file;
    private final Process process;

    private SpareProcess(final SpareFile file, final Process process)
    {
        this.file = file;
        this.process = process;
    }

    /** Starts the process, which finds its file by the environment. */
    static SpareProcess start(final Path recoveryDirectory, final int number, final ProcessBuilder builder)
        throws IOException
    {
        final SpareFile file = SpareFile.create(recoveryDirectory, number);
        try
        {
            builder.environment().put(LauncherBootstrap.SPARE_ENV, file.path().toString());
            return new SpareProcess(file, ProcessStart.of(builder));
        }
        catch (final IOException | RuntimeException ex)
        {
            file.remove();
            throw ex;
        }
    }

    @Override
    public long pid()
    {
        return process.pid();
    }

    @Override
    public boolean hasEnded()
    {
        return !process.isAlive();
    }

    @Override
    public String end()
    {
        file.remove();
        return ChildProcess.describe(process.exitValue()) + reason();
    }

    private String reason()
    {
        try
        {
            final String text = new String(
                process.getErrorStream().readNBytes(MAX_REASON), StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? "" : ": " + text.lines().findFirst().orElseThrow();
        }
        catch (final IOException ex)
        {
            return "";
        }
    }

    @Override
    public Process assign(final int pe, final int nPes, final Path jobDirectory)
    {
        file.assign(pe, nPes, jobDirectory);
        return process;
    }

    @Override
    public void kill()
    {
        process.destroyForcibly();
        // it may write to the directory of the job, which is then removed
        new ChildProcess(0, "", process).awaitEnd(System.nanoTime() + END_NS);
        file.remove();
    }
}
