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
package io.aeroshmem.tools.scale;

import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.team.CreationDomain;
import io.aeroshmem.team.Membership;
import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.endpoint.Placement;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Compares the table of docs/scale.md with what the layouts of the library, and its objects in a job, have for each PE.
 */
class ScaleTableTest
{
    private static final Path PAGE = Path.of("../docs/scale.md");
    private static final String BEGIN = "<!-- state -->\n";
    private static final String END = "<!-- end of state -->";

    /** Of the job whose arrays are measured: that of no other array. */
    private static final int MEASURED = 37;
    private static final int PES_OF_HOST = 64;
    private static final int[] JOBS = { 16, 256, 4096 };
    private static final int REFERENCE_BYTES = 4;
    private static final int PAGE_LENGTH = 4096;
    /** Default of aeroshmem.term.length. */
    private static final int TERM_LENGTH = 1 << 20;

    private final List<String> rows = new ArrayList<>();

    @Test
    void shouldBeWhatThePageStates() throws Exception
    {
        rows.add("| state | whose | bytes | 16 PEs | 256 PEs | 4 096 PEs |");
        rows.add("|---|---|---|---|---|---|");
        add("area of the world", "PE", areaOf(1) + " n", (job) -> areaOf(job.nPes()));
        add(
            "areas of the other predefined teams",
            "PE",
            areaOf(1) + " (2 p + h)",
            (job) -> 2 * areaOf(job.maxPesOfHost()) + areaOf(job.hosts()));
        add("the whole system area", "PE", "", (job) -> TeamAreaDescriptor.systemArea(job).length());
        add(
            "system areas",
            "host",
            "",
            (job) -> job.maxPesOfHost() * TeamAreaDescriptor.systemArea(job).length());
        add("area of a created team of all PEs", "PE, team", areaOf(1) + " n", (job) -> areaOf(job.nPes()));
        add("control file", "host", controlFile(1) - controlFile(0) + " n", (job) -> controlFile(job.nPes()));
        addJvmState();
        addMessages();
        final String page = Files.readString(PAGE);
        final int begin = page.indexOf(BEGIN) + BEGIN.length();
        assertEquals(String.join("\n", rows) + "\n", page.substring(begin, page.indexOf(END)));
    }

    private void addJvmState() throws ReflectiveOperationException
    {
        try (LargeJob job = new LargeJob(MEASURED, 1, 8, Link.NETWORK, Link.HOST))
        {
            job.run(Operation.COLLECT);
            final LargeJobPe pe = job.pe(1);
            final TeamResources resources = pe.resources;
            final long mailboxes = perMember(resources.mailboxes());
            addPerPe("mailboxes of a team's blocking calls", "PE, team", mailboxes);
            final TeamResources ofRequests = resources.forRequests();
            addPerPe(
                "the same for requests and their matching, from the first request on",
                "PE, team",
                perMember(ofRequests.mailboxes()) + perMember(ofRequests) + perMember(ofRequests.everyone()) +
                    perMember(resources.matchingMailboxes()));
            addPerPe(
                "members, areas and placement of a team",
                "PE, team",
                perMember(resources) + perMember(resources.everyone()) + perMember(resources.topology()) +
                    perMember(Membership.inWorldOrder(MEASURED, 1, (member) -> true)));
            addPerPe("records of calls, from the first split or collect on", "PE, team", TeamWorkspace.RECORD_LENGTH);
            addPerPe("counts, from the first collect on", "PE, team", perMember(pe.counts));
            final CreationDomain domain = CreationDomain.ofMembers(pe.endpoint, resources);
            addPerPe(
                "splits by colour of a team, from the first on",
                "PE, team",
                perMember(domain) + perMember(field(domain, "channel")));
            final Object joined = field(pe.endpoint, "joined");
            long connection = perMember(pe.endpoint) + perMember(joined);
            for (final MemorySpace space : (MemorySpace[])field(pe.endpoint, "spaces"))
            {
                connection += perMember(space);
            }

            addPerPe("tables of the PEs and of the paths to them", "PE", connection);
        }
    }

    private void addMessages()
    {
        add(
            "rings of records to PEs of other hosts",
            "PE",
            "r (n - p)",
            (job) -> ring(job.nPes()) * (job.nPes() - job.maxPesOfHost()));
        final long log = LogBufferDescriptor.computeLogLength(TERM_LENGTH, PAGE_LENGTH);
        add(
            "log buffers of streams between hosts",
            "host",
            log + " ((n - p) + p (h - 1))",
            (job) -> log * (job.nPes() - job.maxPesOfHost() + (long)job.maxPesOfHost() * (job.hosts() - 1)));
    }

    private void addPerPe(final String state, final String whose, final long bytes)
    {
        add(state, whose, bytes + " n", (job) -> bytes * job.nPes());
    }

    private void add(
        final String state, final String whose, final String formula, final ToLongFunction<Placement> bytes)
    {
        final StringBuilder row =
            new StringBuilder("| ").append(state).append(" | ").append(whose).append(" | ").append(formula);
        for (final int nPes : JOBS)
        {
            final int pesOfHost = Math.min(nPes, PES_OF_HOST);
            row.append(" | ").append(text(bytes.applyAsLong(new Placement(nPes, pesOfHost, nPes / pesOfHost))));
        }

        rows.add(row.append(" |").toString());
    }

    private static String text(final long bytes)
    {
        return bytes < 10 << 10 ? bytes + " B" :
            bytes < 10 << 20 ? (bytes + (1 << 9) >> 10) + " KiB" :
            bytes < 10L << 30 ? (bytes + (1 << 19) >> 20) + " MiB" :
            (bytes + (1 << 29) >> 30) + " GiB";
    }

    private static long areaOf(final int size)
    {
        return new TeamAreaDescriptor(size).length();
    }

    private static long controlFile(final int nPes)
    {
        return call("io.aeroshmem.transport.job.ControlDescriptor", "fileLength", nPes);
    }

    private static long ring(final int nPes)
    {
        return call("io.aeroshmem.transport.aeron.Outbox", "ringCapacity", nPes) + RingBufferDescriptor.TRAILER_LENGTH;
    }

    private static long call(final String type, final String name, final int argument)
    {
        try
        {
            final Method method = Class.forName(type).getDeclaredMethod(name, int.class);
            method.setAccessible(true);
            return (int)method.invoke(null, argument);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static Object field(final Object owner, final String name) throws ReflectiveOperationException
    {
        final Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    /** Returns the bytes that an object's arrays have for each PE, with references of 4 bytes. */
    private static long perMember(final Object owner) throws ReflectiveOperationException
    {
        long bytes = 0;
        for (final Field field : owner.getClass().getDeclaredFields())
        {
            if (field.getType().isArray() && !Modifier.isStatic(field.getModifiers()))
            {
                field.setAccessible(true);
                final Object array = field.get(owner);
                if (null != array && MEASURED == Array.getLength(array))
                {
                    bytes += elementBytes(field.getType().getComponentType());
                }
            }
        }

        return bytes;
    }

    private static int elementBytes(final Class<?> type)
    {
        return !type.isPrimitive() ? REFERENCE_BYTES :
            long.class == type || double.class == type ? Long.BYTES :
            int.class == type || float.class == type ? Integer.BYTES :
            short.class == type || char.class == type ? Short.BYTES : 1;
    }
}
