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

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/**
 * The {@code aeroshmem} command line.
 */
@Command(
    name = "aeroshmem",
    description = "Runs and inspects AeroSHMEM jobs.",
    mixinStandardHelpOptions = true,
    versionProvider = AeroShmemCommand.Version.class)
public final class AeroShmemCommand implements Runnable
{
    private AeroShmemCommand()
    {
    }

    /**
     * Parses the command line, runs what it names and exits with its status.
     *
     * @param args of the command line; none prints the help.
     */
    public static void main(final String[] args)
    {
        System.exit(new CommandLine(new AeroShmemCommand()).execute(args));
    }

    /**
     * Prints the help, as no subcommand was given.
     */
    @Override
    public void run()
    {
        CommandLine.usage(this, System.out);
    }

    static final class Version implements IVersionProvider
    {
        @Override
        public String[] getVersion()
        {
            final String version = AeroShmemCommand.class.getPackage().getImplementationVersion();
            return new String[]{ "AeroSHMEM " + (null == version ? "(development build)" : version) };
        }
    }
}
