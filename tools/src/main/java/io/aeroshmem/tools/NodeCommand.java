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

import io.aeroshmem.Info;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.launch.NodeLaunchSpec;
import io.aeroshmem.tools.launch.NodeLauncher;
import picocli.CommandLine.Command;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem node} command, which {@code aeroshmem run --hosts} starts on each host. It reads its
 * {@linkplain NodeLaunchSpec launch specification} from standard input. On the node of PE 0, the rest of the input is
 * the standard input of PE 0.
 */
@Command(
    name = NodeCommand.NAME,
    description = "Runs the PEs of one node; started by 'aeroshmem run --hosts'.",
    hidden = true,
    mixinStandardHelpOptions = true)
final class NodeCommand implements Callable<Integer>
{
    static final String NAME = "node";

    private NodeCommand()
    {
    }

    /**
     * Runs the command without picocli, whose model of it takes a quarter of the processor time of its start. Returns
     * the exit code.
     */
    static int run()
    {
        try
        {
            return new NodeCommand().call();
        }
        catch (final Exception ex)
        {
            return ErrorLine.report(ex, new PrintWriter(System.err));
        }
    }

    @Override
    public Integer call() throws Exception
    {
        // neither closed nor buffered: PE 0 inherits the descriptor and reads the rest
        final NodeLaunchSpec spec = NodeLaunchSpec.read(new FileInputStream(FileDescriptor.in));
        if (!Info.name().equals(spec.version()))
        {
            throw CommandException.usage("version must be the same on all hosts: launcher=" + spec.version() +
                ", node=" + Info.name());
        }

        apply(spec.environment());
        final JobSettings settings =
            new JobSettings(spec.nPes(), spec.node().peCount(), null, null, spec.jvmOptions());
        return NodeLauncher.launch(spec.applyTo(settings.launcherContext()), spec);
    }

    /** Sets the properties that the launcher passes to the PEs in this process too, unless the host sets them. */
    private static void apply(final Map<String, String> environment)
    {
        for (final ShmemProperty property : ShmemProperty.values())
        {
            final String value = environment.get(property.environmentName());
            if (null != value && null == System.getenv(property.environmentName()))
            {
                System.setProperty(property.propertyName(), value);
            }
        }
    }
}
