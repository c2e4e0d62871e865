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

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.device.DeviceDescription;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.device.DeviceReport;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** The lines of {@code aeroshmem info} on the devices of this host. */
final class DeviceLines
{
    private DeviceLines()
    {
    }

    /** Prints names and values. {@code provider} is null without a module for devices. */
    static void print(final DeviceProvider provider, final BiConsumer<String, String> line)
    {
        if (null == provider)
        {
            line.accept("GPU", "none (aeroshmem-gpu is not on the class path)");
            return;
        }

        final DeviceReport report = provider.report();
        if (null != report.problem())
        {
            line.accept("GPU", "none (" + report.problem() + ")");
            return;
        }

        line.accept("GPU", report.driver() + ", " + count(report));
        for (int number = 0; number < report.devices().size(); number++)
        {
            print("GPU " + number, report.devices().get(number), line);
        }
    }

    private static String count(final DeviceReport report)
    {
        final int count = report.count();
        final int simulated = report.devices().size() - count;
        return (0 == count ? "no device" : count + (1 == count ? " device" : " devices")) +
            (0 == simulated ? "" : " (" + simulated + " simulated)");
    }

    private static void print(
        final String label, final DeviceDescription device, final BiConsumer<String, String> line)
    {
        line.accept(label, String.join(", ", device.name(), device.architecture(),
            PropertyParser.formatSize(device.memory() >> 20 << 20)));
        line.accept(label + " status", device.status());
        for (final String statement : device.sharing())
        {
            line.accept(label + " sharing", statement);
        }
        if (!device.peerAccess().isEmpty())
        {
            final List<String> access = new ArrayList<>();
            for (int peer = 0; peer < device.peerAccess().size(); peer++)
            {
                access.add(peer + ": " + device.peerAccess().get(peer));
            }
            line.accept(label + " peer access", String.join("; ", access));
        }
    }
}
