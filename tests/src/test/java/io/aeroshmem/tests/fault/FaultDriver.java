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
package io.aeroshmem.tests.fault;

import io.aeron.driver.MediaDriver;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A media driver that is a process of its own, to be killed or stopped. Ends when its standard input closes.
 */
public final class FaultDriver
{
    private FaultDriver()
    {
    }

    /**
     * @param args directory and liveness timeout in ms.
     */
    public static void main(final String[] args) throws IOException
    {
        final MediaDriver.Context context =
            EmbeddedDriver.context(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[1])))
            .sharedIdleStrategy(new SleepingMillisIdleStrategy());
        try (MediaDriver driver = EmbeddedDriver.launch(context.aeronDirectoryName(args[0])))
        {
            System.out.println(FaultPe.MARK + FaultPe.SEPARATOR + driver.aeronDirectoryName() +
                FaultPe.SEPARATOR + -1 + FaultPe.SEPARATOR + FaultPe.READY);
            System.out.flush();
            while (System.in.read() >= 0)
            {
                continue;
            }
        }
    }
}
