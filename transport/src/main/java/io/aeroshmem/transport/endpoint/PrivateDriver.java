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
package io.aeroshmem.transport.endpoint;

import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.buffer.FileStoreLogFactory;
import io.aeron.driver.buffer.LogFactory;
import io.aeron.driver.buffer.RawLog;
import io.aeron.driver.reports.LossReportUtil;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.exceptions.StorageSpaceException;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.PrivateFiles;
import org.agrona.IoUtil;

import java.io.File;
import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/**
 * Closes the files of a media driver to other users, whatever the umask, which a JVM cannot set. Aeron removes and
 * makes the driver's directory by the umask, and creates the driver's files right afterwards. A mode that is set when
 * the driver runs comes too late: another user may have opened a file before. Therefore the driver makes its directory
 * through a {@link File} that gives it the mode 0700. Inside that directory the modes of files protect nothing more,
 * but remain right if a file is moved or the directory is opened later; they are set after each creation.
 * <p>
 * Aeron has no public setters for the two fields that are replaced here.
 */
final class PrivateDriver
{
    private static final VarHandle DIRECTORY = field(CommonContext.class, "aeronDirectory", File.class);
    private static final VarHandle LOG_FACTORY = field(MediaDriver.Context.class, "logFactory", LogFactory.class);

    /** The names that Aeron gives the subdirectories. */
    private static final String PUBLICATIONS = "publications";
    private static final String IMAGES = "images";

    private PrivateDriver()
    {
    }

    /** Launches a driver, whose directory is created, or verified and then replaced. */
    static MediaDriver launch(final MediaDriver.Context context)
    {
        final Path directory = DriverDirectory.make(context.aeronDirectoryName());
        context.aeronDirectoryName(directory.toString());
        DIRECTORY.set(context, new Directory(directory));
        LOG_FACTORY.set(context, new Logs(context));
        final MediaDriver driver = MediaDriver.launch(context);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, Files::isRegularFile))
        {
            for (final Path file : files)
            {
                PrivateFiles.restrict(file);
            }

            reserveLossReport(directory, context.lossReportBufferLength());
            return driver;
        }
        catch (final IOException ex)
        {
            driver.close();
            throw new TransportException(
                "cannot complete the files of the media driver in " + directory + ": " + ex, ex);
        }
    }

    /** Aeron leaves this file sparse. Without a stream, nothing has been written to it yet. */
    private static void reserveLossReport(final Path directory, final long length) throws IOException
    {
        try (FileChannel channel = FileChannel.open(
            LossReportUtil.file(directory.toString()).toPath(), StandardOpenOption.WRITE))
        {
            PrivateFiles.reserve(channel, length);
        }
    }

    private static VarHandle field(final Class<?> owner, final String name, final Class<?> type)
    {
        try
        {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, name, type);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("Aeron must be of the version that the library was built with: " + ex, ex);
        }
    }

    /** The driver's directory. */
    private static final class Directory extends File
    {
        @Serial
        private static final long serialVersionUID = 1;

        private Directory(final Path path)
        {
            super(path.toString());
        }

        @Override
        public boolean mkdirs()
        {
            try
            {
                PrivateFiles.makeDirectory(toPath());
                PrivateFiles.makeDirectory(toPath().resolve(PUBLICATIONS));
                PrivateFiles.makeDirectory(toPath().resolve(IMAGES));
                return true;
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException("cannot create the directory of the media driver: " + ex, ex);
            }
        }
    }

    /** Aeron's factory, with other modes. It needs what the driver's context has only when the driver runs. */
    private static final class Logs implements LogFactory
    {
        private final MediaDriver.Context context;
        private LogFactory factory;

        private Logs(final MediaDriver.Context context)
        {
            this.context = context;
        }

        @Override
        public RawLog newPublication(final long correlationId, final int termLength, final boolean useSparseFiles)
        {
            return log(
                PUBLICATIONS, correlationId,
                () -> factory().newPublication(correlationId, termLength, useSparseFiles));
        }

        @Override
        public RawLog newImage(final long correlationId, final int termLength, final boolean useSparseFiles)
        {
            return log(IMAGES, correlationId, () -> factory().newImage(correlationId, termLength, useSparseFiles));
        }

        @Override
        public void close()
        {
            // that of Aeron holds nothing
        }

        private LogFactory factory()
        {
            if (null == factory)
            {
                factory = new FileStoreLogFactory(
                    context.aeronDirectoryName(),
                    context.filePageSize(),
                    context.performStorageChecks(),
                    context.lowStorageWarningThreshold(),
                    context.errorHandler(),
                    context.systemCounters().get(SystemCounterDescriptor.BYTES_CURRENTLY_MAPPED));
            }

            return factory;
        }

        private RawLog log(final String folder, final long correlationId, final Supplier<RawLog> creation)
        {
            final RawLog log;
            try
            {
                log = creation.get();
            }
            catch (final InternalError ex)
            {
                // An Error would leave the client without a response, and the file would take memory that is short.
                IoUtil.deleteIfExists(
                    Path.of(context.aeronDirectoryName(), folder, correlationId + ".logbuffer").toFile());
                throw new StorageSpaceException("the memory for a new log was taken while it was created: " + ex);
            }

            try
            {
                PrivateFiles.restrict(Path.of(log.fileName()));
                return log;
            }
            catch (final IOException ex)
            {
                log.close();
                throw new UncheckedIOException(ex);
            }
        }
    }
}
