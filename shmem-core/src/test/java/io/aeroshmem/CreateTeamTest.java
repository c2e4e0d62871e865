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
package io.aeroshmem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CreateTeamTest
{
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldCreateATeamOfTheWorld(final TransportKind transport) throws Exception
    {
        LocalJobs.run(4, transport, (shmem) ->
        {
            final Team team = made(shmem.createTeam(new TeamParams()));
            assertEquals(shmem.myPe(), team.myPe());
            assertEquals(6, team.reduceLong(ReduceOp.SUM, shmem.myPe()));
            final Team half = made(team.split(shmem.myPe() & 1, -shmem.myPe()));
            assertEquals(2, half.nPes());
            assertEquals(1 - shmem.myPe() / 2, half.myPe());
            assertEquals(2 + 2 * (shmem.myPe() & 1), half.reduceLong(ReduceOp.SUM, shmem.myPe()));
            half.destroy().await();
            team.destroy().await();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldEndWhenAParticipantClosesItsPe(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            if (2 != shmem.myPe())
            {
                final TeamCreation creation = shmem.createTeam(new TeamParams());
                final String message = assertThrows(TeamCreationException.class, () -> made(creation)).getMessage();
                assertTrue(message.contains("PE 2 called Shmem.close"), message);
            }
        });
    }

    @Test
    void shouldCreateATeamAfterAnExchangeThatThrows() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final RuntimeException thrown = new IllegalArgumentException("no exchange");
            final TeamParams params = new TeamParams().id(5);
            for (int i = 0; i < 2; i++)
            {
                assertSame(thrown, assertThrows(IllegalArgumentException.class, () ->
                    shmem.createTeam(params.copy().outOfBand(0, 1, (source, dest, length) ->
                    {
                        throw thrown;
                    }))));
                made(shmem.createTeam(params)).close();
            }
        });
    }

    @Test
    void shouldCompleteADestructionWhenTheOtherMembersCloseTheirPes() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final Team team = made(shmem.createTeam(new TeamParams()));
            if (0 == shmem.myPe())
            {
                team.destroy().await();
            }
        });
    }

    static Team made(final TeamCreation creation)
    {
        while (!creation.poll())
        {
            Thread.yield();
        }

        return creation.team();
    }
}
