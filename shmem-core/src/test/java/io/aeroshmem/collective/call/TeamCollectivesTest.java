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
package io.aeroshmem.collective.call;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Timeout(60)
class TeamCollectivesTest
{
    @ParameterizedTest
    @CsvSource({"1, MAPPED", "2, MAPPED", "3, MAPPED", "3, IPC"})
    void shouldReduceAndCollectBlocksOfManySegments(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, new Shmem.Context().transport(transport).heapSize(1 << 20), (shmem) ->
        {
            final int count = 1000;
            final SymmetricBuffer source = shmem.malloc(count * Long.BYTES);
            final SymmetricBuffer dest = shmem.malloc((long)nPes * count * Long.BYTES);
            for (int i = 0; i < count; i++)
            {
                source.putLong(i * Long.BYTES, 1000L * shmem.myPe() + i);
            }

            shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count);
            for (int i = 0; i < count; i++)
            {
                assertEquals(500L * nPes * (nPes - 1) + (long)nPes * i, dest.getLong(i * Long.BYTES));
            }

            shmem.world().fcollect(ElementType.LONG, dest, source, count);
            for (int i = 0; i < nPes * count; i++)
            {
                assertEquals(1000L * (i / count) + i % count, dest.getLong(i * Long.BYTES));
            }

            final int myCount = 10 * shmem.myPe();
            shmem.world().collect(ElementType.LONG, dest, source, myCount);
            int at = 0;
            for (int pe = 0; pe < nPes; pe++)
            {
                for (int i = 0; i < 10 * pe; i++)
                {
                    assertEquals(1000L * pe + i, dest.getLong(at++ * Long.BYTES));
                }
            }

            assertEquals(nPes * (nPes - 1) / 2, shmem.world().reduceLong(ReduceOp.SUM, shmem.myPe()));
        });
    }

    @ParameterizedTest
    @CsvSource({"2, MAPPED", "3, MAPPED", "3, IPC"})
    void shouldCollectNothingFromWhereverItIs(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = new Shmem.Context().transport(transport).heapSize(1 << 20)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(20));
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.calloc(8, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(8, Long.BYTES);
            final SymmetricBuffer within = dest.slice(Long.BYTES, Long.BYTES);
            source.putLong(0, 42);
            for (int giver = 0; giver < nPes; giver++)
            {
                dest.putLong(0, 0);
                final boolean isGiver = giver == shmem.myPe();
                shmem.world().collect(ElementType.LONG, dest, isGiver ? source : within, isGiver ? 2 : 0);
                assertEquals(42, dest.getLong(0));
            }
        });
    }
}
