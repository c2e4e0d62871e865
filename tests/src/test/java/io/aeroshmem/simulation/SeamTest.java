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
package io.aeroshmem.simulation;

import io.aeroshmem.Shmem;
import io.aeroshmem.transport.Pause;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What a world decides is not decided beside it: the simulated packages read clocks, pause, start threads and draw
 * random numbers through {@link Pause} and the context only, or where a reason stands here.
 */
class SeamTest
{
    private static final Set<String> PACKAGES = Set.of(
        "io/aeroshmem", "io/aeroshmem/collective/algorithm", "io/aeroshmem/collective/call",
        "io/aeroshmem/collective/reduction", "io/aeroshmem/collective/request", "io/aeroshmem/collective/selection",
        "io/aeroshmem/collective/task", "io/aeroshmem/lifecycle", "io/aeroshmem/memory", "io/aeroshmem/rma",
        "io/aeroshmem/sync", "io/aeroshmem/team", "io/aeroshmem/thread", "io/aeroshmem/transport",
        "io/aeroshmem/transport/aeron", "io/aeroshmem/transport/endpoint", "io/aeroshmem/transport/heap",
        "io/aeroshmem/transport/job", "io/aeroshmem/transport/mapped", "io/aeroshmem/transport/progress",
        "io/aeroshmem/transport/rendezvous");

    private static final Map<String, Set<String>> FORBIDDEN = Map.ofEntries(
        Map.entry("java/lang/Math", Set.of("random")),
        Map.entry("java/lang/Object", Set.of("wait")),
        Map.entry("java/lang/System", Set.of("nanoTime", "currentTimeMillis", "identityHashCode")),
        Map.entry("java/lang/Thread", Set.of("<init>", "join", "onSpinWait", "sleep", "yield")),
        Map.entry("java/nio/channels/Selector", Set.of("select")),
        Map.entry("java/security/SecureRandom", Set.of("<init>")),
        Map.entry("java/time/Instant", Set.of("now")),
        Map.entry("java/util/IdentityHashMap", Set.of("<init>")),
        Map.entry("java/util/Random", Set.of("<init>")),
        Map.entry("java/util/UUID", Set.of("randomUUID")),
        Map.entry("java/util/concurrent/CompletableFuture", Set.of("get", "join")),
        Map.entry("java/util/concurrent/CountDownLatch", Set.of("await")),
        Map.entry("java/util/concurrent/Future", Set.of("get")),
        Map.entry("java/util/concurrent/ThreadLocalRandom", Set.of("current")),
        Map.entry("java/util/concurrent/TimeUnit", Set.of("sleep", "timedJoin", "timedWait")),
        Map.entry("java/util/concurrent/locks/Condition", Set.of("await", "awaitNanos", "awaitUntil")),
        Map.entry("java/util/concurrent/locks/LockSupport", Set.of("park", "parkNanos", "parkUntil")),
        Map.entry("org/agrona/concurrent/BackoffIdleStrategy", Set.of("<init>")),
        Map.entry("org/agrona/concurrent/SystemEpochClock", Set.of("INSTANCE")),
        Map.entry("org/agrona/concurrent/SystemNanoClock", Set.of("INSTANCE")));

    /** Classes that may, and why. */
    private static final Map<String, String> SEAMS = Map.ofEntries(
        Map.entry("io/aeroshmem/Shmem$Context", "default thread factory; a world has its own"),
        Map.entry("io/aeroshmem/collective/request/QueuedRequest", "hash of a thread, which is only compared"),
        Map.entry("io/aeroshmem/InJvmGeneration", "a job of threads that share a JVM"),
        Map.entry("io/aeroshmem/InJvmJob", "a job of threads that share a JVM"),
        Map.entry("io/aeroshmem/WarmUp", "training of the JVM, which no world has"),
        Map.entry("io/aeroshmem/lifecycle/Termination", "end of the JVM"),
        Map.entry("io/aeroshmem/memory/SymmetricHeap", "allocations; their order shows in their last release only"),
        Map.entry("io/aeroshmem/thread/CallerGuard", "a microsecond, in which another processor's stores arrive"),
        Map.entry("io/aeroshmem/transport/Pause", "the seam"),
        Map.entry("io/aeroshmem/transport/RateLimitedErrorHandler", "default clock; errors only"),
        Map.entry("io/aeroshmem/transport/SimulatedThread", "superclass of the threads of worlds"),
        Map.entry("io/aeroshmem/transport/Threads", "default thread factory, and the join of Pause"),
        Map.entry("io/aeroshmem/transport/aeron/AeronConnection", "Aeron's client; a world has a network of its own"),
        Map.entry("io/aeroshmem/transport/aeron/AgentIdleStrategy", "thread of the agent, which a world polls instead"),
        Map.entry("io/aeroshmem/transport/aeron/EngineLock", "held by one thread at a time, at no point of a world"),
        Map.entry("io/aeroshmem/transport/aeron/ProgressAgent", "length of its cycles, for its own pauses"),
        Map.entry("io/aeroshmem/transport/endpoint/EmbeddedDriver", "Aeron's driver"),
        Map.entry("io/aeroshmem/transport/endpoint/IpcDriverIdleStrategy", "Aeron's driver"),
        Map.entry("io/aeroshmem/transport/endpoint/JoinProtocol", "default idle strategy; a world has its own"),
        Map.entry("io/aeroshmem/transport/endpoint/ShutdownHook", "end of the JVM"),
        Map.entry("io/aeroshmem/transport/job/ControlFile", "time of creation"),
        Map.entry("io/aeroshmem/transport/job/JobDirectory", "ids and tokens, which decide nothing"),
        Map.entry("io/aeroshmem/transport/job/JobView", "viewers outside the job"),
        Map.entry("io/aeroshmem/transport/job/PeActivities", "a few attempts to read what another thread writes"),
        Map.entry("io/aeroshmem/transport/job/PeErrorLog", "time of an error"),
        Map.entry("io/aeroshmem/transport/job/ProcessLock", "lock of a new file, which a probe may hold"),
        Map.entry("io/aeroshmem/transport/job/RecoveryDirectory", "end of the JVM"),
        Map.entry("io/aeroshmem/transport/job/RecoveryLease", "the time of a file, which a thread renews"),
        Map.entry("io/aeroshmem/transport/job/SnapshotDirectory$Manifest", "ids, which decide nothing"),
        Map.entry("io/aeroshmem/transport/rendezvous/Authenticator", "nonces, which decide nothing"),
        Map.entry("io/aeroshmem/transport/rendezvous/RendezvousId", "ids and secrets, which decide nothing"),
        Map.entry("io/aeroshmem/transport/rendezvous/RendezvousServer", "default clock, and a thread of its own"));

    @Test
    void shouldLeaveClocksAndPausesToTheWorld() throws Exception
    {
        final Map<String, Set<String>> uses = new TreeMap<>();
        for (final Class<?> member : List.of(Shmem.class, Pause.class))
        {
            uses.putAll(uses(member.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }

        final Set<String> withoutUse = new TreeSet<>(SEAMS.keySet());
        withoutUse.removeAll(uses.keySet());
        assertEquals(Set.of(), withoutUse, "these need no exception any more");
        uses.keySet().removeAll(SEAMS.keySet());
        assertEquals(Map.of(), uses, "go through Pause, which a simulation replaces");
    }

    /** Returns the forbidden uses of the classes of a directory or jar. */
    private static Map<String, Set<String>> uses(final URI location) throws IOException, URISyntaxException
    {
        final Path path = Path.of(location);
        if (Files.isDirectory(path))
        {
            return usesBelow(path);
        }

        try (FileSystem jar = FileSystems.newFileSystem(path))
        {
            return usesBelow(jar.getPath("/"));
        }
    }

    private static Map<String, Set<String>> usesBelow(final Path root) throws IOException
    {
        final List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(root))
        {
            all.filter((file) -> file.toString().endsWith(".class")).forEach(files::add);
        }

        final Map<String, Set<String>> uses = new TreeMap<>();
        int scanned = 0;
        for (final Path file : files)
        {
            final String name = root.relativize(file).toString().replace(".class", "");
            final int slash = name.lastIndexOf('/');
            if (slash > 0 && PACKAGES.contains(name.substring(0, slash)))
            {
                scanned++;
                final Set<String> found = forbidden(Files.readAllBytes(file));
                if (!found.isEmpty())
                {
                    uses.put(name, found);
                }
            }
        }

        assertTrue(scanned > 50, "classes scanned in " + root + ": " + scanned);
        return uses;
    }

    /** Returns the forbidden members that the constant pool of a class refers to. */
    private static Set<String> forbidden(final byte[] bytes) throws IOException
    {
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipBytes(8);
        final int count = in.readUnsignedShort();
        final String[] texts = new String[count];
        final int[] firsts = new int[count];
        final int[] seconds = new int[count];
        final boolean[] isMember = new boolean[count];
        for (int i = 1; i < count; i++)
        {
            final int tag = in.readUnsignedByte();
            switch (tag)
            {
                case 1 -> texts[i] = in.readUTF();
                case 3, 4 -> in.skipBytes(4);
                case 5, 6 ->
                {
                    in.skipBytes(8);
                    i++;
                }
                case 7, 8, 16, 19, 20 -> firsts[i] = in.readUnsignedShort();
                case 15 -> in.skipBytes(3);
                default ->
                {
                    isMember[i] = tag >= 9 && tag <= 11;
                    firsts[i] = in.readUnsignedShort();
                    seconds[i] = in.readUnsignedShort();
                }
            }
        }

        final Set<String> found = new TreeSet<>();
        for (int i = 1; i < count; i++)
        {
            if (isMember[i])
            {
                final String owner = texts[firsts[firsts[i]]];
                final String name = texts[firsts[seconds[i]]];
                if (FORBIDDEN.getOrDefault(owner, Set.of()).contains(name))
                {
                    found.add(owner + "." + name);
                }
            }
        }

        return found;
    }
}
