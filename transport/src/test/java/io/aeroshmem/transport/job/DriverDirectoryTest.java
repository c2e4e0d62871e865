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

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.Publication;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The directories that drivers make, and those that they and their clients reject.
 */
@Tag("jdk")
@Timeout(60)
class DriverDirectoryTest
{
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(10);

    @TempDir(factory = SharedMemory.class)
    private Path root;

    /**
     * What another user could open or replace.
     */
    private enum Fault
    {
        OPEN("must have mode 0700")
        {
            @Override
            void make(final Path directory) throws IOException
            {
                Files.createDirectory(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        },

        LINK("is not a directory")
        {
            @Override
            void make(final Path directory) throws IOException
            {
                final Path target = directory.resolveSibling("target");
                PrivateFiles.makeDirectory(target);
                Files.createSymbolicLink(directory, target);
            }
        },

        FILE("is not a directory")
        {
            @Override
            void make(final Path directory) throws IOException
            {
                Files.createFile(directory);
            }
        },

        FOREIGN("must belong to user id")
        {
            @Override
            void make(final Path directory) throws IOException
            {
                assumeTrue(0 == PrivateFiles.currentUid(), "skipped: only root can give a directory to another user");
                PrivateFiles.makeDirectory(directory);
                Files.setAttribute(directory, "unix:uid", 12_345);
            }
        },

        EXCHANGEABLE("can be written by others")
        {
            @Override
            void make(final Path directory) throws IOException
            {
                PrivateFiles.makeDirectory(directory);
                Files.setPosixFilePermissions(directory.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
            }
        };

        private final String text;

        Fault(final String text)
        {
            this.text = text;
        }

        abstract void make(Path directory) throws IOException;
    }

    @Test
    void shouldCloseEveryFileOfADriverToOtherUsers() throws IOException
    {
        final Path directory = root.resolve("missing").resolve("driver");
        try (MediaDriver driver = launch(directory);
            Aeron client = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
            Publication ipc = client.addPublication("aeron:ipc?term-length=64k", 1);
            Publication udp = client.addPublication("aeron:udp?endpoint=127.0.0.1:9|term-length=64k", 1))
        {
            assertFalse(ipc.isClosed() || udp.isClosed());
            assertEquals("rwx------", mode(directory.getParent()));
            try (Stream<Path> files = Files.walk(directory))
            {
                final List<Path> all = files.collect(Collectors.toList());
                assertEquals(7, all.size(), "2 files, 2 log buffers, 2 folders: " + all);
                for (final Path file : all)
                {
                    assertEquals(Files.isDirectory(file) ? "rwx------" : "rw-------", mode(file), file::toString);
                }
            }
        }

        assertFalse(Files.exists(directory));
    }

    @Test
    void shouldReplaceTheDirectoryOfADeadDriver() throws IOException
    {
        final Path directory = root.resolve("driver");
        PrivateFiles.makeDirectory(directory);
        Files.createDirectory(directory.resolve("images"));
        Files.createFile(directory.resolve("images").resolve("1.logbuffer"));
        Files.createSymbolicLink(root.resolve("link"), root);
        try (MediaDriver driver = launch(root.resolve("link").resolve("driver")))
        {
            assertEquals(directory.toString(), driver.aeronDirectoryName(), "links above it are resolved once");
            assertEquals(directory, DriverDirectory.verify(root.resolve("link").resolve("driver").toString()));
            assertFalse(Files.exists(directory.resolve("images").resolve("1.logbuffer")));
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void shouldRejectADirectoryThatAnotherUserCouldOpenOrReplace(final Fault fault) throws IOException
    {
        final Path directory = root.resolve("driver");
        fault.make(directory);
        final TransportException user =
            assertThrows(TransportException.class, () -> DriverDirectory.verify(directory.toString()));
        assertTrue(user.getMessage().contains(fault.text), user::toString);
        assertTrue(user.getMessage().contains("aeroshmem.aeron.dir"), user::toString);
        final TransportException driver = assertThrows(TransportException.class, () -> launch(directory));
        assertEquals(user.getMessage(), driver.getMessage());
    }

    /**
     * The directory was open when it was made, and was closed later.
     */
    @Test
    void shouldRejectAFileOfADriverThatAnotherUserCouldHavePlanted() throws IOException
    {
        final Path directory = root.resolve("driver");
        PrivateFiles.makeDirectory(directory);
        final Path other = Files.createFile(root.resolve("other"));
        final Path cnc = directory.resolve(CncFileDescriptor.CNC_FILE);
        Files.createSymbolicLink(cnc, other);
        assertThrows(TransportException.class, () -> DriverDirectory.verify(directory.toString()));
        Files.delete(cnc);
        Files.createLink(cnc, other);
        assertThrows(TransportException.class, () -> DriverDirectory.verify(directory.toString()));
        Files.delete(other);
        assertEquals(directory, DriverDirectory.verify(directory.toString()));
    }

    @Test
    void shouldNameTheDefaultDirectoryAfterTheUserIdOfAUserWithoutAName()
    {
        System.setProperty(CommonContext.AERON_DIR_PROP_NAME, "/dev/shm/aeron-?");
        try
        {
            assertEquals("/dev/shm/aeron-" + PrivateFiles.currentUid(), DriverDirectory.defaultName());
        }
        finally
        {
            System.clearProperty(CommonContext.AERON_DIR_PROP_NAME);
        }

        assertEquals(CommonContext.AERON_DIR_PROP_DEFAULT, DriverDirectory.defaultName());
    }

    private static MediaDriver launch(final Path directory)
    {
        return EmbeddedDriver.launch(EmbeddedDriver.context(LIVENESS_NS).aeronDirectoryName(directory.toString()));
    }

    private static String mode(final Path file) throws IOException
    {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
