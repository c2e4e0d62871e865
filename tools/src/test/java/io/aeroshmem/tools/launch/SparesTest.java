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
package io.aeroshmem.tools.launch;

import io.aeroshmem.lifecycle.Recoveries;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** When spare processes are started, replaced and taken. */
class SparesTest
{
    private static final Path DIRECTORY = Path.of("job");

    private final List<FakeSpare> started = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private boolean isStartRefused;
    private final Spares spares = new Spares(2, this::start, lines::add, new Recoveries(2, Long.MAX_VALUE, 0));

    @Test
    void shouldReplaceASpareThatIsTaken()
    {
        spares.maintain(0);
        spares.maintain(1);
        assertEquals(2, started.size());

        spares.take(3, 4, DIRECTORY);
        assertEquals("PE 3 of 4 in job", started.get(0).deed);
        spares.maintain(2);
        assertEquals(3, started.size());
        assertNull(started.get(1).deed);
    }

    @Test
    void shouldHaveNoneToTakeBeforeItHasStartedAny()
    {
        spares.take(0, 2, DIRECTORY);
        assertEquals(0, started.size());
    }

    @Test
    void shouldTakeNoneThatHasEnded()
    {
        spares.maintain(0);
        started.get(0).hasEnded = true;
        spares.take(1, 2, DIRECTORY);

        assertNull(started.get(0).deed);
        assertEquals("PE 1 of 2 in job", started.get(1).deed);
        spares.take(0, 2, DIRECTORY);
        assertEquals(2, started.size());
    }

    @Test
    void shouldReplaceThoseThatEndUntilThereAreTooMany()
    {
        final long laterNs = TimeUnit.SECONDS.toNanos(1);
        spares.maintain(0);
        started.get(1).hasEnded = true;
        spares.maintain(0);
        assertEquals(List.of(), lines, "a signal to this process may follow");
        spares.maintain(laterNs);
        assertEquals(List.of("a spare process (pid 101) has ended; starting another"), lines);
        assertEquals(3, started.size());

        started.get(2).hasEnded = true;
        spares.maintain(laterNs);
        spares.maintain(laterNs + TimeUnit.MILLISECONDS.toNanos(300));
        assertEquals(3, started.size(), "the second one is delayed");
        spares.maintain(2 * laterNs);
        assertEquals(4, started.size());

        started.get(3).hasEnded = true;
        spares.maintain(2 * laterNs);
        spares.maintain(100 * laterNs);
        assertEquals("a spare process (pid 103) has ended; starting no more", lines.get(2));
        assertEquals(4, started.size());
        spares.take(0, 2, DIRECTORY);
        assertEquals("PE 0 of 2 in job", started.get(0).deed, "what waits is still of use");
    }

    @Test
    void shouldTryAgainIfOneCannotBeStarted()
    {
        isStartRefused = true;
        spares.maintain(0);
        assertEquals(List.of("a spare process cannot be started: no more processes; starting another",
            "a spare process cannot be started: no more processes; starting another"), lines);
        assertNull(spares.take(1, 2, DIRECTORY));

        isStartRefused = false;
        spares.maintain(TimeUnit.SECONDS.toNanos(1));
        assertEquals(2, started.size());
    }

    @Test
    void shouldDiscardThoseThatWait()
    {
        spares.maintain(0);
        spares.discard();
        assertNull(spares.take(1, 2, DIRECTORY));
        assertEquals("killed", started.get(0).deed);
        assertEquals("killed", started.get(1).deed);

        spares.maintain(1);
        spares.take(1, 2, DIRECTORY);
        assertEquals("PE 1 of 2 in job", started.get(2).deed);
        assertEquals(4, started.size());
        assertEquals(List.of(), lines);
    }

    @Test
    void shouldEndThoseThatWait()
    {
        spares.maintain(0);
        spares.take(1, 2, DIRECTORY);
        spares.close();
        spares.maintain(1);
        spares.take(0, 2, DIRECTORY);

        assertEquals("PE 1 of 2 in job", started.get(0).deed);
        assertEquals("killed", started.get(1).deed);
        assertEquals(2, started.size());
    }

    private Spares.Spare start(final int number) throws IOException
    {
        if (isStartRefused)
        {
            throw new IOException("no more processes");
        }

        started.add(new FakeSpare(100 + number));
        return started.get(started.size() - 1);
    }

    private static final class FakeSpare implements Spares.Spare
    {
        private final long pid;
        private boolean hasEnded;
        private String deed;

        private FakeSpare(final long pid)
        {
            this.pid = pid;
        }

        @Override
        public long pid()
        {
            return pid;
        }

        @Override
        public boolean hasEnded()
        {
            return hasEnded;
        }

        @Override
        public String end()
        {
            return "has ended";
        }

        @Override
        public Process assign(final int pe, final int nPes, final Path jobDirectory)
        {
            deed = "PE " + pe + " of " + nPes + " in " + jobDirectory;
            return null;
        }

        @Override
        public void kill()
        {
            deed = "killed";
        }
    }
}
