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

/** Command to the launcher of a recoverable job, which ends a generation. */
public sealed interface JobCommand
{
    /** Time in which the launcher takes a command. */
    long TAKE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** Sends this command to the launcher of the job with a directory, and waits until it is performed or refused. */
    default CommandFile.Answer send(final Path recoveryDirectory)
    {
        return CommandFile.send(recoveryDirectory, TAKE_TIMEOUT_NS, words());
    }

    /** Returns the words from which {@link #parse} makes an equal command. */
    List<String> words();

    /** Returns the command of some words. */
    static JobCommand parse(final List<String> words)
    {
        final int count = words.size();
        if (count >= Replace.FIXED && Replace.NAME.equals(words.get(0)))
        {
            return new Replace(Integer.parseInt(words.get(1)), words.get(2), words.subList(Replace.FIXED, count));
        }

        if (2 == count && Resize.NAME.equals(words.get(0)))
        {
            return new Resize(Integer.parseInt(words.get(1)));
        }

        throw new IllegalArgumentException("unknown command: " + words);
    }

    /**
     * Replaces a PE, whose new process has another class path, or JVM options in addition to those of the job.
     *
     * @param pe         to be replaced.
     * @param classPath  of the program, with absolute entries, or null for that of the process before.
     * @param jvmOptions that are added.
     */
    record Replace(int pe, String classPath, List<String> jvmOptions) implements JobCommand
    {
        private static final String NAME = "replace";
        private static final int FIXED = 3;

        /** Makes the entries of the class path absolute, as the launcher may have another working directory. */
        public Replace
        {
            classPath = ClassPath.absolute(classPath);
            jvmOptions = List.copyOf(jvmOptions);
        }

        @Override
        public List<String> words()
        {
            final List<String> words =
                new ArrayList<>(List.of(NAME, Integer.toString(pe), null == classPath ? "" : classPath));
            words.addAll(jvmOptions);
            return words;
        }
    }

    /**
     * Changes the number of PEs.
     *
     * @param nPes of the next generation.
     */
    record Resize(int nPes) implements JobCommand
    {
        private static final String NAME = "resize";

        @Override
        public List<String> words()
        {
            return List.of(NAME, Integer.toString(nPes));
        }
    }
}
