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
import io.aeroshmem.tools.launch.NodeLauncher;
import io.aeroshmem.tools.launch.NodeOrder;
import picocli.CommandLine.Command;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * {@code aeroshmem node}: what {@code aeroshmem run --hosts} starts on each host. It reads what to do from its standard
 * input, of which the rest belongs to PE 0.
 */
@Command(
    name = "node",
    description = "Runs the PEs of one node; started by 'aeroshmem run --hosts'.",
    hidden = true,
    mixinStandardHelpOptions = true,
    versionProvider = AeroShmemCommand.Version.class)
final class NodeCommand implements Callable<Integer>
{
    private NodeCommand()
    {
    }

    /**
     * Runs the PEs to their end.
     *
     * @return the exit code of the node.
     * @throws Exception if they cannot be started.
     */
    @Override
    public Integer call() throws Exception
    {
        // never closed: PE 0 inherits the descriptor; never buffered: what follows is for PE 0
        final NodeOrder order = NodeOrder.read(new FileInputStream(FileDescriptor.in));
        if (!Info.name().equals(order.version()))
        {
            throw CommandException.usage("the launcher is " + order.version() + ", this is " + Info.name() +
                ": all hosts of a job need the same");
        }
        apply(order.environment());
        final JobSettings settings =
            new JobSettings(order.nPes(), order.node().peCount(), null, null, order.jvmOptions());
        return NodeLauncher.launch(order.applyTo(settings.launcherContext()), order);
    }

    /**
     * Lets this process find the settings that its PEs will find.
     */
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
