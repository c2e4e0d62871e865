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
package io.aeroshmem.tests.deploy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** That the limits of containers leave nothing behind. */
@Tag("ci")
@Tag("waits")
class ControlGroupTest
{
    private static final long BYTES = 64 << 20;

    @Test
    void shouldLeaveNothingIfALimitIsInvalid() throws IOException
    {
        requireLimits();
        final double lessThanAMillisecond = 1e-7;

        assertThrows(IOException.class, () -> ControlGroup.make(lessThanAMillisecond, BYTES));

        assertEquals(List.of(), groups(ProcessHandle.current().pid()));
    }

    @Test
    void shouldRemoveWhatATestThatWasKilledHasLeft() throws Exception
    {
        requireLimits();
        final Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        for (final Path root : ControlGroup.roots())
        {
            Files.createDirectory(root.resolve(ControlGroup.PREFIX + ended.pid() + "-1"));
        }

        ControlGroup.make(1, BYTES).close();

        assertEquals(List.of(), groups(ended.pid()));
    }

    private static void requireLimits()
    {
        try
        {
            ControlGroup.make(1, BYTES).close();
        }
        catch (final IOException ex)
        {
            System.out.println("skipped: no control groups can be made here: " + ex);
            assumeTrue(false, ex.toString());
        }
    }

    private static List<Path> groups(final long pid) throws IOException
    {
        final List<Path> found = new ArrayList<>();
        for (final Path root : ControlGroup.roots())
        {
            try (DirectoryStream<Path> groups = Files.newDirectoryStream(root, ControlGroup.PREFIX + pid + "-*"))
            {
                groups.forEach(found::add);
            }
        }

        return found;
    }
}
