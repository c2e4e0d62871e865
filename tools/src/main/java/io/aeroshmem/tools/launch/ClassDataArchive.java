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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The file from which the JVMs of PEs map classes that are loaded and linked already: an archive of class data, or on
 * JDK 25 and later an AOT cache, which has the profiles of methods too. If it is missing, the JVM of one PE writes it
 * when it ends. A JVM to which it does not belong, as its class path or JDK has changed, loads its classes as usual.
 *
 * @param file null for none.
 */
record ClassDataArchive(Path file)
{
    static final ClassDataArchive NONE = new ClassDataArchive(null);

    private static final int FIRST_JDK_WITH_AOT_CACHE = 25;

    /** Returns the options of a JVM, which writes the file if it is missing and this JVM is the writer. */
    List<String> options(final boolean isWriter)
    {
        return null == file ? List.of() :
            options(isWriter, Files.exists(file), Runtime.version().feature() >= FIRST_JDK_WITH_AOT_CACHE);
    }

    /** What the JVM says of it goes to standard error: the program's output stays as it is. */
    List<String> options(final boolean isWriter, final boolean exists, final boolean isAotCache)
    {
        if (exists)
        {
            return List.of("-Xlog:disable", "-Xlog:all=warning:stderr",
                (isAotCache ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file);
        }

        if (!isWriter)
        {
            return List.of();
        }

        return isAotCache ?
            List.of("-Xlog:disable", "-Xlog:all=error:stderr", "-XX:+DisplayVMOutputToStderr",
                "-XX:AOTCacheOutput=" + file) :
            List.of("-Xlog:disable", "-Xlog:all=error:stderr", "-XX:ArchiveClassesAtExit=" + file);
    }
}
