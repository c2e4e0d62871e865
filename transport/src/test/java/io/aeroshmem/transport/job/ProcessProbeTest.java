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
package io.aeroshmem.transport.job;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(60)
class ProcessProbeTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldSeeTheEndOfAProcessThatMappedTheFile() throws Exception
    {
        try (JobDirectory job = JobDirectory.create(root, 2))
        {
            final Path control = job.path().resolve("control");
            try (JobProcess process = JobProcess.startPe(job.path(), 1))
            {
                final ProcessProbe probe = ProcessProbe.ofMapping(process.pid(), control);
                assertNotNull(probe);
                assertFalse(probe.isGone());
                process.signal("STOP");
                assertFalse(probe.isGone(), "a stopped process has not ended");
                process.kill();
                Await.until(probe::isGone, probe::toString);
                assertNull(ProcessProbe.ofMapping(process.pid(), control), "it is not there any more");
            }

            job.delete();
        }
    }

    @Test
    void shouldNotTakeAnotherProcessForTheOneThatMappedTheFile() throws Exception
    {
        final Path file = Files.createFile(root.resolve("nobody-maps-this"));
        assertNull(ProcessProbe.ofMapping(ProcessHandle.current().pid(), file));
        assertNull(ProcessProbe.ofMapping(ProcessHandle.current().pid(), root.resolve("missing")));
        assertNull(ProcessProbe.ofMapping(Long.MAX_VALUE, file));
        assertTrue(Files.exists(file));
    }

    @Test
    void shouldDistinguishAProcessThatTheKernelEnds() throws Exception
    {
        final long self = ProcessHandle.current().pid();
        assertFalse(ProcessProbe.isExiting(self));
        assertFalse(ProcessProbe.isExiting(Long.MAX_VALUE));

        // states and flags as read from a process with 6 GiB of memory and four threads, after a kill
        thread(7, "(java) Z", 0x40840c);
        thread(8, "(Signal Dispatch) D", 0x40044c);
        assertTrue(ProcessProbe.isExiting(root, 7));

        thread(9, "(a (name) S", 0x400040);
        assertFalse(ProcessProbe.isExiting(root, 7), "a thread runs on");
        thread(9, "(a (name) Z", 0x40840c);
        assertTrue(ProcessProbe.isExiting(root, 7));

        thread(8, "(Signal Dispatch) Z", 0x40840c);
        assertFalse(ProcessProbe.isExiting(root, 7), "a zombie has ended");
    }

    /** Writes the first fields of a thread of process 7. */
    private void thread(final long tid, final String nameAndState, final long flags) throws Exception
    {
        final String text = tid + " " + nameAndState + " 1 7 7 0 -1 " + flags + " 0".repeat(30) + "\n";
        final Path thread = root.resolve("7").resolve("task").resolve(Long.toString(tid));
        Files.writeString(Files.createDirectories(thread).resolve("stat"), text);
    }
}
