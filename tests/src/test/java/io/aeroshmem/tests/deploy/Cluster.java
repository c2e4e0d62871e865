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
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * As much of Kubernetes as the manifests use: secrets, names of pods, pods on a network, and indexed jobs, which make a
 * pod again when it is lost. A field that it does not know fails the test.
 */
final class Cluster implements AutoCloseable
{
    private static final PrintStream OUT = System.out;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final String BRIDGE = "br0";
    private static final String NETWORK = "10.98.0.";

    private final Path image;
    private final Path hosts;
    private final Namespaces network;
    private final List<Pod> pods = new ArrayList<>();
    private final Map<String, String> secrets = new HashMap<>();
    private Field job;
    private int addresses;
    private int restarts;

    private Cluster(final Path image, final Path hosts, final Namespaces network)
    {
        this.image = image;
        this.hosts = hosts;
        this.network = network;
    }

    /**
     * @param image  made by {@link Image}.
     * @param folder for its files.
     * @throws TestAbortedException if this machine does not permit it; the reason is printed.
     */
    static Cluster start(final Path image, final Path folder) throws IOException
    {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        final Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 localhost\n");
        Files.setPosixFilePermissions(hosts, PosixFilePermissions.fromString("rw-r--r--"));
        try
        {
            return new Cluster(image, hosts, Namespaces.start(
                "ip link add " + BRIDGE + " type bridge && ip link set " + BRIDGE + " up"));
        }
        catch (final IOException ex)
        {
            final String text = "skipped: no pods can be made here: " + ex.getMessage();
            OUT.println(text);
            throw new TestAbortedException(text);
        }
    }

    /**
     * Makes what a manifest says.
     */
    void apply(final String name, final String manifest) throws IOException, InterruptedException
    {
        final List<Field> documents = Field.documents(name, manifest);
        for (final Field document : documents)
        {
            document.get("apiVersion");
            make(document);
        }

        documents.forEach(Field::requireAllRead);
    }

    private void make(final Field document) throws IOException, InterruptedException
    {
        final String name = document.get("metadata").get("name").text();
        switch (document.get("kind").text())
        {
            case "Secret" ->
            {
                assertTrue(List.of("true", "false").contains(document.text("immutable", "false")));
                final Field data = document.get("stringData");
                data.keys().forEach((key) -> secrets.put(name + "/" + key, data.get(key).text()));
            }
            case "Service" ->
            {
                assertEquals("None", document.get("spec").get("clusterIP").text());
                assertEquals("true", document.get("spec").get("publishNotReadyAddresses").text());
                assertEquals(name, document.get("spec").get("selector").get("job-name").text());
            }
            case "Job" -> makeJob(document.get("spec"), name);
            case "Pod" -> makePod(name, document.get("spec"), Map.of());
            default -> throw new AssertionError(document);
        }
    }

    private void makeJob(final Field spec, final String name) throws IOException, InterruptedException
    {
        job = spec;
        assertEquals("Indexed", spec.get("completionMode").text());
        assertEquals(spec.get("completions").number(), spec.get("parallelism").number());
        assertEquals(name, spec.get("template").get("spec").get("subdomain").text());
        for (int index = 0; index < spec.get("completions").number(); index++)
        {
            makePodOfJob(name + "-" + index, index);
        }

        spec.get("backoffLimit");
    }

    private void makePodOfJob(final String name, final int index) throws IOException, InterruptedException
    {
        makePod(name, job.get("template").get("spec"), Map.of("JOB_COMPLETION_INDEX", Integer.toString(index)));
    }

    private void makePod(final String name, final Field spec, final Map<String, String> values)
        throws IOException, InterruptedException
    {
        final String address = NETWORK + ++addresses;
        final Pod pod = new Pod(name, address, spec, values, this);
        pods.add(pod);
        final String port = "pod" + addresses;
        network.ip("link add " + port + " type veth peer name eth0 netns " + pod.namespaces().pid());
        network.ip("link set " + port + " master " + BRIDGE + " up");
        pod.namespaces().ip("address add " + address + "/24 dev eth0");
        pod.namespaces().ip("link set eth0 up");
        final StringBuilder names = new StringBuilder("127.0.0.1 localhost\n");
        for (final Pod each : pods)
        {
            final String subdomain = spec.text("subdomain", "");
            names.append(each.address()).append(' ').append(each.name()).append(' ')
                .append(each.name()).append('.').append(subdomain).append('\n');
        }

        Files.writeString(hosts, names);
        pod.start();
    }

    /**
     * Starts again what is due.
     *
     * @return whether a pod runs.
     */
    boolean poll() throws IOException, InterruptedException
    {
        boolean isRunning = false;
        for (int i = 0; i < pods.size(); i++)
        {
            final Pod pod = pods.get(i);
            if (pod.isLost())
            {
                pods.remove(i);
                restarts++;
                makePodOfJob(pod.name(), i);
                pods.add(i, pods.remove(pods.size() - 1));
            }
            else
            {
                restarts += pod.poll();
            }

            isRunning |= !pods.get(i).isEnded();
        }

        assertTrue(null == job || restarts <= job.get("backoffLimit").number(), () -> "the job has failed: " + this);
        return isRunning;
    }

    /**
     * Polls until a container has printed a line that contains a text.
     */
    void awaitLine(final Container container, final String text) throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (container.lines().stream().noneMatch((line) -> line.contains(text)))
        {
            poll();
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no '" + text + "': " + this);
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /**
     * Polls until each pod has retained memory.
     */
    void awaitRetainedMemory() throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (!pods.stream().allMatch(Pod::hasRetainedMemory))
        {
            poll();
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no retained memory: " + this);
            LockSupport.parkNanos(POLL_NS);
        }
    }

    void awaitEnd() throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (poll())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "not ended: " + this);
            LockSupport.parkNanos(POLL_NS);
        }

        for (final Pod pod : pods)
        {
            pod.awaitOutput();
        }
    }

    Pod pod(final int index)
    {
        return pods.get(index);
    }

    int pods()
    {
        return pods.size();
    }

    Path image()
    {
        return image;
    }

    Path hosts()
    {
        return hosts;
    }

    String secret(final Field reference)
    {
        return secrets.get(reference.get("name").text() + "/" + reference.get("key").text());
    }

    /**
     * Returns a new control group with these limits, or null, and says so, if this machine does not permit it.
     */
    ControlGroup limit(final double processors, final long bytes)
    {
        try
        {
            return ControlGroup.make(processors, bytes);
        }
        catch (final IOException ex)
        {
            OUT.println("limits of containers are not applied: " + ex);
            return null;
        }
    }

    @Override
    public void close()
    {
        final List<AutoCloseable> all = new ArrayList<>(pods);
        all.add(network);
        CloseHelper.closeAll(all);
    }

    @Override
    public String toString()
    {
        return pods.toString();
    }
}
