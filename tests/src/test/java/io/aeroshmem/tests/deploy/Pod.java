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

import io.aeroshmem.tests.fixture.Deadlines;
import org.agrona.CloseHelper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A pod: namespaces, the volume <code>shm</code>, and containers, which its restart policy starts again.
 * <p>
 * A container is started again at once the first time, and then after delays that grow, but less than in Kubernetes.
 * Only a startup probe is repeated; a test runs a liveness probe.
 */
final class Pod implements AutoCloseable
{
    private static final String DEFAULT_SHM = "64Mi";
    private static final String INIT =
        "mount -t tmpfs -o size=$1,mode=1777 tmpfs /dev/shm && mount -t tmpfs -o mode=755 tmpfs /opt && " +
        "mkdir " + Image.HOME + " && mount --bind \"$2\" " + Image.HOME + " && mount --bind \"$3\" /etc/hosts && " +
        "mount -t tmpfs -o mode=1777 tmpfs /tmp && hostname \"$4\" && ip link set lo up";

    private final String name;
    private final String address;
    private final String restartPolicy;
    private final Namespaces namespaces;
    private final List<Container> sidecars = new ArrayList<>();
    private final List<Container> containers = new ArrayList<>();
    private boolean isLost;

    /**
     * @param values of the environment of its containers that the manifest does not have.
     */
    Pod(
        final String name,
        final String address,
        final Field spec,
        final Map<String, String> values,
        final Cluster cluster) throws IOException
    {
        this.name = name;
        this.address = address;
        restartPolicy = spec.text("restartPolicy", "Always");
        namespaces = Namespaces.start(INIT, Long.toString(bytes(sizeOfMemory(spec))), cluster.image().toString(),
            cluster.hosts().toString(), name);
        try
        {
            requireTolerations(spec);
            final Field user = spec.get("securityContext");
            final boolean isProcessShared = "true".equals(spec.text("shareProcessNamespace", "false"));
            for (final Field container : spec.items("initContainers"))
            {
                assertEquals("Always", container.get("restartPolicy").text(), "only sidecars are run");
                sidecars.add(new Container(container, namespaces, user.get("runAsUser").number(),
                    user.get("runAsGroup").number(), isProcessShared, values, cluster));
            }

            for (final Field container : spec.items("containers"))
            {
                containers.add(new Container(container, namespaces, user.get("runAsUser").number(),
                    user.get("runAsGroup").number(), isProcessShared, values, cluster));
            }
        }
        catch (final IOException | RuntimeException | Error ex)
        {
            namespaces.close();
            throw ex;
        }
    }

    /**
     * A pod that is lost is made again at once here.
     */
    private static void requireTolerations(final Field spec)
    {
        for (final Field toleration : spec.items("tolerations"))
        {
            assertTrue(List.of("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")
                .contains(toleration.get("key").text()));
            assertEquals("Exists", toleration.get("operator").text());
            assertEquals("NoExecute", toleration.get("effect").text());
            assertTrue(toleration.get("tolerationSeconds").number() > 0);
        }
    }

    private static String sizeOfMemory(final Field spec)
    {
        for (final Field volume : spec.items("volumes"))
        {
            assertEquals("shm", volume.get("name").text());
            assertEquals("Memory", volume.get("emptyDir").get("medium").text());
            return volume.get("emptyDir").get("sizeLimit").text();
        }

        return DEFAULT_SHM;
    }

    static long bytes(final String quantity)
    {
        final int shift = quantity.endsWith("Gi") ? 30 : 20;
        assertTrue(quantity.endsWith("Mi") || quantity.endsWith("Gi"), quantity);
        return Long.parseLong(quantity.substring(0, quantity.length() - 2)) << shift;
    }

    void start() throws IOException, InterruptedException
    {
        for (final Container sidecar : sidecars)
        {
            sidecar.start();
            final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
            while (!sidecar.probe(Container.STARTUP))
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, this::toString);
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }

        for (final Container container : containers)
        {
            container.start();
        }
    }

    /**
     * Starts again what has ended and is due.
     *
     * @return the number of containers started.
     */
    int poll() throws IOException
    {
        int started = 0;
        for (final Container sidecar : sidecars)
        {
            if (!isEnded() && !isLost && !sidecar.isAlive())
            {
                sidecar.start();
                started++;
            }
        }

        for (final Container container : containers)
        {
            if (!isLost && container.isDue() && ("Always".equals(restartPolicy) ||
                "OnFailure".equals(restartPolicy) && 0 != container.exitCode()))
            {
                container.start();
                started++;
            }
        }

        return started;
    }

    /**
     * Returns whether no container runs or is due.
     */
    boolean isEnded()
    {
        return containers.stream().allMatch((container) -> !container.isAlive() &&
            ("Never".equals(restartPolicy) || "OnFailure".equals(restartPolicy) && 0 == container.exitCode()));
    }

    /** Waits until what the containers have printed, which have ended, has been read. */
    void awaitOutput() throws InterruptedException
    {
        for (final Container container : containers)
        {
            container.awaitOutput();
        }
    }

    /**
     * Loses the pod with its processes and its memory, as a host that fails does.
     */
    void lose()
    {
        isLost = true;
        close();
    }

    boolean isLost()
    {
        return isLost;
    }

    boolean hasRetainedMemory()
    {
        try (Stream<Path> files = Files.walk(namespaces.path("/dev/shm"), 2))
        {
            return files.anyMatch((file) -> file.getFileName().toString().startsWith("recovery-"));
        }
        catch (final IOException | UncheckedIOException ex)
        {
            return false; // a file that was removed meanwhile
        }
    }

    String name()
    {
        return name;
    }

    String address()
    {
        return address;
    }

    Namespaces namespaces()
    {
        return namespaces;
    }

    Container container(final String nameOfContainer)
    {
        return Stream.concat(sidecars.stream(), containers.stream())
            .filter((container) -> container.name().equals(nameOfContainer)).findFirst().orElseThrow();
    }

    @Override
    public void close()
    {
        final List<AutoCloseable> all = new ArrayList<>(containers);
        all.addAll(sidecars);
        all.add(namespaces);
        CloseHelper.closeAll(all);
    }

    @Override
    public String toString()
    {
        return "pod " + name + ": " + sidecars + containers;
    }
}
