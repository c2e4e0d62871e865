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

import io.aeroshmem.transport.job.CommandFile;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Command to the launcher of a recoverable job: replaces a PE, whose new process has another class path, or JVM options
 * in addition to those of the job.
 *
 * @param pe         to be replaced.
 * @param classPath  of the program, with absolute entries, or null for that of the process before.
 * @param jvmOptions that are added.
 */
public record JobCommand(int pe, String classPath, List<String> jvmOptions)
{
    private static final String REPLACE = "replace";
    private static final int FIXED = 3;
    private static final long TAKE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** Makes the entries of the class path absolute, as the launcher may have another working directory. */
    public JobCommand
    {
        classPath = ClassPath.absolute(classPath);
        jvmOptions = List.copyOf(jvmOptions);
    }

    /** Sends this command to the launcher of the job with a directory, and waits until it is performed or refused. */
    public CommandFile.Answer send(final Path recoveryDirectory)
    {
        final List<String> words = new ArrayList<>(
            List.of(REPLACE, Integer.toString(pe), null == classPath ? "" : classPath));
        words.addAll(jvmOptions);
        return CommandFile.send(recoveryDirectory, TAKE_TIMEOUT_NS, words);
    }

    /** Returns the command of some words. */
    static JobCommand parse(final List<String> words)
    {
        if (words.size() < FIXED || !REPLACE.equals(words.get(0)))
        {
            throw new IllegalArgumentException("unknown command: " + words);
        }

        return new JobCommand(Integer.parseInt(words.get(1)), words.get(2), words.subList(FIXED, words.size()));
    }
}
