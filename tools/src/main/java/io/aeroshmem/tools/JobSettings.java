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
package io.aeroshmem.tools;

import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.config.PropertyNameCheck;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.launch.LaunchContext;
import io.aeroshmem.tools.launch.Placeholders;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.NodeMemory;
import io.aeroshmem.transport.endpoint.Placement;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Settings that the PEs of a job will use. They are validated before a PE is started, so that the launcher reports an
 * error in one line, and no PE prints a stack trace.
 */
final class JobSettings
{
    private static final String PROPERTY_PREFIX = "aeroshmem.";
    private static final String DEFINE = "-D";

    private final int nPes;
    private final int pesHere;
    private final List<String> jvmOptions;
    private final LaunchContext context = new LaunchContext();

    /** Validates the settings of a job whose PEs are all on this host; see the other constructor. */
    JobSettings(final int nPes, final String transport, final Long heapSize, final List<String> jvmOptions)
    {
        this(nPes, nPes, transport, heapSize, jvmOptions);
    }

    /**
     * Validates the settings. {@code pesHere} is the number of PEs on this host, or 0 if the resources of hosts are
     * validated elsewhere; {@code transport} and {@code heapSize} (per PE, in bytes) may be null.
     */
    JobSettings(
        final int nPes,
        final int pesHere,
        final String transport,
        final Long heapSize,
        final List<String> jvmOptions)
    {
        if (nPes < 1)
        {
            throw CommandException.usage("-n must be >= 1: -n=" + nPes);
        }

        this.nPes = nPes;
        this.pesHere = pesHere;
        this.jvmOptions = new ArrayList<>(jvmOptions);
        if (null != transport)
        {
            define(ShmemProperty.TRANSPORT, transport.toLowerCase(Locale.ROOT));
        }

        if (null != heapSize)
        {
            define(ShmemProperty.HEAP_SIZE, heapSize.toString());
        }

        check();
    }

    /** Returns a launch context with these settings, the same for each call. */
    LaunchContext launcherContext()
    {
        return context;
    }

    private void define(final ShmemProperty property, final String value)
    {
        jvmOptions.add(DEFINE + property.propertyName() + "=" + value);
    }

    /** Checks the properties of the last and of the first PE, whose options may differ by placeholders. */
    private void check()
    {
        if (jvmOptions.stream().anyMatch((option) -> !option.equals(Placeholders.replace(option, nPes - 1, ""))))
        {
            check(nPes - 1);
        }

        check(0);
    }

    /** Reads the properties as a PE will read them, with those of its command line in place. */
    private void check(final int pe)
    {
        final Map<String, String> replaced = new HashMap<>();
        try
        {
            setProperties(pe, replaced);
            final Shmem.Context config = new Shmem.Context();
            final Path directory = JobDirectory.defaultRoot();
            if (pesHere > 0)
            {
                validateDriver(config.aeronDirectoryName());
                validateInterface();
                validateMemory(directory, config);
            }

            context.nPes(nPes).jvmOptions(jvmOptions).root(directory).nodeName(config.nodeName())
                .livenessTimeoutNs(config.livenessTimeoutNs())
                .joinTimeoutNs(ShmemProperty.JOIN_TIMEOUT.longValue())
                .rendezvousInterface(ShmemProperty.RENDEZVOUS_INTERFACE.text())
                .recovery(
                    config.recovery(),
                    config.maxRecoveries(),
                    ShmemProperty.RECOVERY_WINDOW.longValue(),
                    ShmemProperty.RECOVERY_RETAIN_TIMEOUT.longValue())
                .recoveryJoinTimeoutNs(ShmemProperty.RECOVERY_JOIN_TIMEOUT.longValue());
        }
        finally
        {
            replaced.forEach(JobSettings::restore);
        }
    }

    /** Sets the properties of a PE's command line. The previous values are put into {@code replaced}, by name. */
    private void setProperties(final int pe, final Map<String, String> replaced)
    {
        for (final String template : jvmOptions)
        {
            final String option = Placeholders.replace(template, pe, HostName.local());
            if (option.startsWith(DEFINE + PROPERTY_PREFIX))
            {
                final int equals = option.indexOf('=');
                final String name = option.substring(DEFINE.length(), equals < 0 ? option.length() : equals);
                requireKnown(name);
                final String before = System.setProperty(name, equals < 0 ? "" : option.substring(equals + 1));
                // a property that was not set is kept as null, which putIfAbsent would replace
                if (!replaced.containsKey(name))
                {
                    replaced.put(name, before);
                }
            }
        }
    }

    private static void restore(final String name, final String before)
    {
        if (null == before)
        {
            System.clearProperty(name);
        }
        else
        {
            System.setProperty(name, before);
        }
    }

    private static void requireKnown(final String name)
    {
        try
        {
            PropertyNameCheck.checkProperty(name);
        }
        catch (final IllegalArgumentException ex)
        {
            throw CommandException.usage(ex.getMessage());
        }
    }

    private void validateMemory(final Path directory, final Shmem.Context config)
    {
        if (!Files.isDirectory(directory))
        {
            throw CommandException.usage(
                "job root must be a directory: root=" + directory + " (" + ShmemProperty.SHM_DIR.propertyName() + ")");
        }

        try
        {
            check(memory(config), directory);
        }
        catch (final TransportException ex)
        {
            throw CommandException.usage(ex.getMessage());
        }
    }

    private NodeMemory memory(final Shmem.Context config)
    {
        // where the PEs of other hosts are is unknown; each PE checks its memory again when it knows
        final Placement placement = new Placement(nPes, pesHere, pesHere == nPes ? 1 : 2);
        final NodeMemory memory = new NodeMemory(pesHere)
            .heaps(config.heapSparse() ? 0 : config.heapSize(), TeamAreaDescriptor.systemArea(placement).length())
            .jvms();
        if (pesHere == nPes && (TransportKind.IPC == config.transport() || TransportKind.UDP == config.transport()))
        {
            memory.messages(
                TransportKind.UDP == config.transport(),
                config.aeronDirectoryName(),
                (int)ShmemProperty.TERM_LENGTH.longValue());
        }

        return memory;
    }

    private static void check(final NodeMemory memory, final Path directory)
    {
        try
        {
            memory.check(directory);
        }
        catch (final TransportException ex)
        {
            // dead jobs may occupy it
            JobCleaner.clean(directory, (problem) -> {});
            memory.check(directory);
        }
    }

    private static void validateInterface()
    {
        final String text = ShmemProperty.UDP_INTERFACE.text();
        if (null != text)
        {
            try
            {
                HostAddress.of(text, ShmemProperty.UDP_INTERFACE.propertyName());
            }
            catch (final TransportException ex)
            {
                throw CommandException.usage(ex.getMessage());
            }
        }
    }

    private static void validateDriver(final String directory)
    {
        try
        {
            if (null != directory)
            {
                DriverDirectory.verify(directory);
            }
        }
        catch (final TransportException ex)
        {
            throw CommandException.usage(ex.getMessage());
        }
    }
}
