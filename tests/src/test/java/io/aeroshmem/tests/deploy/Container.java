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
package io.aeroshmem.tests.deploy;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.StartedProcess;
import org.agrona.CloseHelper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A container of a pod: a command that is run with its environment and limits, and again after it has ended.
 */
final class Container implements AutoCloseable
{
    static final String STARTUP = "startupProbe";
    static final String LIVENESS = "livenessProbe";

    /** That of Kubernetes. */
    private static final String DEFAULT_TIMEOUT_S = "1";

    private static final String ENTER = "for f in $0; do echo $$ > \"$f\"; done && exec \"$@\"";

    private final String name;
    private final Namespaces namespaces;
    private final int user;
    private final int group;
    private final boolean isProcessShared;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, Probe> probes = new LinkedHashMap<>();
    private final List<String> command = new ArrayList<>();
    private final List<StartedProcess> processes = new ArrayList<>();
    private final ControlGroup limits;
    private boolean isEnded;
    private long endNs;

    /**
     * @param values of the environment that the manifest does not have.
     */
    Container(
        final Field spec,
        final Namespaces namespaces,
        final int user,
        final int group,
        final boolean isProcessShared,
        final Map<String, String> values,
        final Cluster cluster) throws IOException
    {
        name = spec.get("name").text();
        this.namespaces = namespaces;
        this.user = user;
        this.group = group;
        this.isProcessShared = isProcessShared;
        spec.get("image");
        command.addAll(spec.has("command") ? spec.texts("command") : Image.entryPoint());
        command.addAll(spec.texts("args"));
        environment.put("PATH", Path.of(System.getProperty("java.home"), "bin") + ":/usr/bin:/bin");
        environment.put("HOME", "/");
        environment.put("JAVA_TOOL_OPTIONS",
            String.join(" ", ChildJvm.quickOptions()) + " -Xlog:cds=off -XX:SharedArchiveFile=" + Image.ARCHIVE);
        // this machine has fewer processors than a cluster
        environment.put("AEROSHMEM_WAIT_IDLE_STRATEGY", "backoff");
        environment.putAll(values);
        for (final Field variable : spec.items("env"))
        {
            environment.put(variable.get("name").text(), variable.has("value") ?
                variable.get("value").text() : cluster.secret(variable.get("valueFrom").get("secretKeyRef")));
        }

        for (final Field mount : spec.items("volumeMounts"))
        {
            assertEquals("shm", mount.get("name").text());
            assertEquals("/dev/shm", mount.get("mountPath").text());
        }

        for (final String kind : List.of(STARTUP, LIVENESS))
        {
            if (spec.has(kind))
            {
                final Field probe = spec.get(kind);
                probes.put(kind, new Probe(probe.get("exec").texts("command"),
                    Integer.parseInt(probe.text("timeoutSeconds", DEFAULT_TIMEOUT_S))));
                assertTrue(probe.get("periodSeconds").number() > 0 && probe.get("failureThreshold").number() > 1);
            }
        }

        if (spec.has("resources"))
        {
            final Field limit = spec.get("resources").get("limits");
            limits = cluster.limit(Double.parseDouble(limit.get("cpu").text()), Pod.bytes(limit.get("memory").text()));
        }
        else
        {
            limits = null;
        }
    }

    String name()
    {
        return name;
    }

    void start() throws IOException
    {
        processes.add(run(command));
    }

    private StartedProcess run(final List<String> what) throws IOException
    {
        final List<String> line = new ArrayList<>(
            List.of("sh", "-c", ENTER, null == limits ? "" : String.join(" ", limits.files())));
        line.addAll(namespaces.command(user, group, isProcessShared, what));
        return StartedProcess.start(environment, line);
    }

    /**
     * Runs the command of a probe to its end, or ends it after its time-out.
     *
     * @return whether it succeeded.
     */
    boolean probe(final String kind) throws IOException, InterruptedException
    {
        final Probe probe = probes.get(kind);
        try (StartedProcess process = run(probe.command))
        {
            return process.awaitExit(probe.timeoutS) && 0 == process.exitCode();
        }
    }

    /**
     * Returns whether the limits that the manifest gives it are applied.
     */
    boolean isLimited()
    {
        return null != limits;
    }

    boolean isAlive()
    {
        return !processes.isEmpty() && last().isAlive();
    }

    /** Returns whether it has ended, and for a second more with each start after the first one. */
    boolean isDue()
    {
        if (isAlive())
        {
            isEnded = false;
            return false;
        }

        if (!isEnded)
        {
            isEnded = true;
            endNs = System.nanoTime();
        }

        return System.nanoTime() - endNs >= TimeUnit.SECONDS.toNanos(processes.size() - 1);
    }

    int exitCode()
    {
        return last().exitCode();
    }

    int starts()
    {
        return processes.size();
    }

    /**
     * Returns what all its processes have printed.
     */
    List<String> lines()
    {
        return processes.stream().flatMap((process) -> process.lines().stream()).toList();
    }

    /**
     * Kills its process and waits until it has ended.
     */
    void kill() throws InterruptedException
    {
        last().child().ifPresent(ProcessHandle::destroyForcibly);
        last().awaitExit();
    }

    void awaitOutput() throws InterruptedException
    {
        last().awaitExit();
    }

    private StartedProcess last()
    {
        return processes.get(processes.size() - 1);
    }

    @Override
    public void close()
    {
        final List<AutoCloseable> all = new ArrayList<>(processes);
        all.add(limits);
        CloseHelper.closeAll(all);
    }

    @Override
    public String toString()
    {
        return "container " + name + ", " + processes;
    }

    /** What a probe runs, and for how long at most. */
    private record Probe(List<String> command, int timeoutS)
    {
    }
}
