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
package io.aeroshmem.tools.info;

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.device.DeviceDescription;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.device.DeviceReport;
import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.launch.JvmCommand;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Section of {@code aeroshmem info} on the GPUs of this host. */
public final class DeviceSection implements InfoSection
{
    private final DeviceReport report;
    /** How processes share each device. */
    private final List<List<String>> sharing = new ArrayList<>();

    /** Reads the facts. {@code provider} is null without a module for devices. */
    public DeviceSection(final DeviceProvider provider)
    {
        report = null == provider ?
            new DeviceReport(null, "aeroshmem-gpu is not on the class path", List.of()) : provider.report();
        for (int number = 0; number < report.devices().size(); number++)
        {
            sharing.add(provider.sharing(number, JvmCommand.java()));
        }
    }

    @Override
    public void print(final InfoText output)
    {
        if (null != report.problem())
        {
            output.line("GPU", "none (" + report.problem() + ")");
            return;
        }

        output.line("GPU", report.driver() + ", " + count());
        for (int number = 0; number < report.devices().size(); number++)
        {
            print("GPU " + number, report.devices().get(number), sharing.get(number), output);
        }
    }

    @Override
    public Object facts()
    {
        return Json.object(
            "driver", report.driver(),
            "problem", report.problem(),
            "devices", IntStream.range(0, sharing.size()).mapToObj(this::facts).toList());
    }

    private Map<String, Object> facts(final int number)
    {
        final DeviceDescription device = report.devices().get(number);
        return Json.object(
            "name", device.name(),
            "architecture", device.architecture(),
            "memory_bytes", device.memory(),
            "status", device.status(),
            "simulated", device.isSimulated(),
            "sharing", sharing.get(number),
            "peer_access", device.peerAccess());
    }

    private String count()
    {
        final int count = report.count();
        final int simulated = report.devices().size() - count;
        return (0 == count ? "no device" : count + (1 == count ? " device" : " devices")) +
            (0 == simulated ? "" : " (" + simulated + " simulated)");
    }

    private static void print(
        final String label, final DeviceDescription device, final List<String> sharing, final InfoText output)
    {
        output.line(label, String.join(", ", device.name(), device.architecture(),
            PropertyParser.formatSize(device.memory() >> 20 << 20)));
        output.line(label + " status", device.status());
        for (final String statement : sharing)
        {
            output.line(label + " sharing", statement);
        }

        if (!device.peerAccess().isEmpty())
        {
            final List<String> access = new ArrayList<>();
            for (int peer = 0; peer < device.peerAccess().size(); peer++)
            {
                access.add(peer + ": " + device.peerAccess().get(peer));
            }

            output.line(label + " peer access", String.join("; ", access));
        }
    }
}
