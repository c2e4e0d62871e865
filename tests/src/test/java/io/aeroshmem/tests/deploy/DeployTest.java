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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The manifests of <code>deploy/kubernetes</code>, in pods of this machine. */
@Tag("ci")
@Tag("waits")
class DeployTest
{
    private static final String SECRET = "not so secret, as only a test uses it";
    private static final String QUOTES = "- \"4000\"\n            - \"1000\"\n";
    /** PEs that wait longer for a quote leave the processors. */
    private static final String FEWER_QUOTES = "- \"300\"\n            - \"5000\"\n";
    private static final String HELLO = "io.aeroshmem.samples.HelloPe";

    @TempDir
    private static Path image;

    @TempDir
    private Path folder;

    private Cluster cluster;

    @BeforeAll
    static void makeImage(@TempDir final Path folder) throws Exception
    {
        Image.make(image);
        try (Cluster cluster = Cluster.start(image, folder))
        {
            // as docs/containers.md describes it
            cluster.apply("archive", """
                apiVersion: v1
                kind: Pod
                metadata: {name: archive}
                spec:
                  restartPolicy: Never
                  securityContext: {runAsUser: 1000, runAsGroup: 1000}
                  containers:
                    - name: pe
                      image: any
                      command: [java, --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED,
                        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED, -cp, /opt/aeroshmem/lib/aeroshmem.jar, %s]
                      env:
                        - {name: JAVA_TOOL_OPTIONS, value: "-XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit=%s"}
                        - {name: AEROSHMEM_PE, value: "0"}
                        - {name: AEROSHMEM_NPES, value: "1"}
                        - {name: AEROSHMEM_TRANSPORT, value: udp}
                        - {name: AEROSHMEM_HEAP_SIZE, value: 8m}
                        - {name: AEROSHMEM_RENDEZVOUS, value: "localhost:7000"}
                        - {name: AEROSHMEM_RENDEZVOUS_SECRET, value: "%s"}
                """.formatted(HELLO, Image.ARCHIVE, SECRET));
            cluster.awaitEnd();
            assertEquals(0, cluster.pod(0).container("pe").exitCode(), cluster::toString);
        }
        catch (final TestAbortedException ex)
        {
            // as that of each test
        }
    }

    @BeforeEach
    void start() throws Exception
    {
        cluster = Cluster.start(image, folder);
    }

    @AfterEach
    void close()
    {
        if (null != cluster)
        {
            cluster.close();
        }
    }

    @Test
    void shouldRunAnIndexedJobWithAPePerPod() throws Exception
    {
        apply("job.yaml");
        cluster.awaitEnd();

        for (int pe = 0; pe < 3; pe++)
        {
            final Container container = cluster.pod(pe).container("pe");
            assertEquals(0, container.exitCode(), container::toString);
            assertTrue(container.lines().contains("PE " + pe + " of 3: greeted by PE " + (pe + 2) % 3),
                container::toString);
        }

        assertTrue(cluster.pod(0).container("pe").lines().contains("sum of all PE numbers: 3"), cluster::toString);
    }

    @Test
    void shouldRunAllPesInOneContainer() throws Exception
    {
        apply("pod.yaml");
        cluster.awaitEnd();

        final Container container = cluster.pod(0).container("job");
        assertEquals(0, container.exitCode(), container::toString);
        assertTrue(container.lines().contains("sum of all PE numbers: 1"), container::toString);
    }

    /** A container that is killed starts again in its pod; of a pod that is lost, a new one is made. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldGoOnAfterAPeIsKilled(final boolean isPodLost) throws Exception
    {
        // a PE is killed as soon as it has retained memory
        final String manifest = manifest("recovery.yaml");
        assertTrue(manifest.contains(QUOTES), manifest);
        cluster.apply("recovery.yaml", manifest.replace(QUOTES, FEWER_QUOTES));
        cluster.awaitRetainedMemory();
        if (isPodLost)
        {
            cluster.pod(2).lose();
        }
        else
        {
            cluster.pod(2).container("pe").kill();
        }

        cluster.awaitEnd();

        for (int pe = 0; pe < cluster.pods(); pe++)
        {
            final Container container = cluster.pod(pe).container("pe");
            assertEquals(0, container.exitCode(), cluster::toString);
            assertEquals(2 == pe && !isPodLost ? 2 : 1, container.starts(), cluster::toString);
        }
    }

    /** Its startup probe, which is the liveness probe too, has succeeded before the PEs start. */
    @Test
    void shouldRunADriverBesideThePes() throws Exception
    {
        apply("driver.yaml");
        final Container driver = cluster.pod(0).container("driver");
        driver.kill();
        assertFalse(driver.probe(Container.LIVENESS), cluster::toString);
        cluster.awaitEnd();

        assertEquals(2, driver.starts(), cluster::toString);
        final List<String> lines = cluster.pod(0).container("job").lines();
        assertTrue(lines.contains("sum of all PE numbers: 1"), cluster::toString);
    }

    /** Nor does it count as a success. */
    @Test
    void shouldNotWaitForAProbeThatHangs() throws Exception
    {
        cluster.apply("pod", """
            apiVersion: v1
            kind: Pod
            metadata: {name: small}
            spec:
              restartPolicy: Never
              securityContext: {runAsUser: 1000, runAsGroup: 1000}
              containers:
                - name: job
                  image: any
                  args: ["info"]
                  livenessProbe: {exec: {command: [sleep, "5"]}, periodSeconds: 10, failureThreshold: 3}
            """);
        assertFalse(cluster.pod(0).container("job").probe(Container.LIVENESS), cluster::toString);
        cluster.awaitEnd();
    }

    /** Which docs/tuning.md promises. */
    @ParameterizedTest
    @CsvSource({ "mapped, 0s", "udp, 100ms" })
    void shouldFitIntoTheSharedMemoryOfAContainer(final String transport, final String warmUp) throws Exception
    {
        final Container container = runWithoutVolume("run", "-n", "2", "--transport", transport, "--heap", "8m",
            "-J-Daeroshmem.warmup=" + warmUp, HELLO);

        assertEquals(0, container.exitCode(), container::toString);
        assertTrue(container.lines().contains("sum of all PE numbers: 1"), container::toString);
        assertTrue(container.lines().stream().noneMatch((line) -> line.contains("warm-up")), container::toString);
    }

    @ParameterizedTest
    @CsvSource({ "40m, /dev/shm, 64.0 MiB of 64.0 MiB free", "300m, /tmp, control group" })
    void shouldRefuseAJobThatDoesNotFit(
        final String heap, final String directory, final String reason) throws Exception
    {
        final Container container = runWithoutVolume("run", "-n", "2", "--heap", heap, "-J",
            "-Daeroshmem.shm.dir=" + directory, HELLO);
        assumeTrue(container.isLimited() || !reason.contains("control group"), "no limits of containers");

        assertTrue(container.exitCode() > 0 && container.exitCode() < 128, container::toString);
        assertTrue(container.lines().stream().anyMatch((line) -> line.contains(reason)), container::toString);
    }

    @Test
    void shouldCountTheProcessorsOfTheLimit() throws Exception
    {
        final Container container = runWithoutVolume("info");
        assumeTrue(container.isLimited(), "no limits of containers");

        assertTrue(container.lines().stream().anyMatch((line) -> line.matches("Processors +1( .*)?")),
            container::toString);
    }

    private void apply(final String manifest) throws Exception
    {
        cluster.apply(manifest, manifest(manifest));
    }

    private static String manifest(final String name) throws IOException
    {
        return Image.manifest(name).replaceAll("\\$\\{[A-Z_]+_SECRET}", SECRET);
    }

    /** Runs the command of the image to its end, with 64 MiB of shared memory, 512 MiB and one processor. */
    private Container runWithoutVolume(final String... arguments) throws Exception
    {
        cluster.apply("pod", """
            apiVersion: v1
            kind: Pod
            metadata: {name: small}
            spec:
              restartPolicy: Never
              securityContext: {runAsUser: 1000, runAsGroup: 1000}
              containers:
                - {name: job, image: any, args: ["%s"], resources: {limits: {cpu: "1", memory: 512Mi}}}
            """.formatted(String.join("\", \"", arguments)));
        cluster.awaitEnd();
        return cluster.pod(0).container("job");
    }
}
