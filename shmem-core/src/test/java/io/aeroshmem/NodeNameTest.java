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

import java.util.concurrent.ExecutionException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * PEs that count themselves to different nodes of one machine.
 */
@Timeout(60)
class NodeNameTest
{
    private static final int NPES = 5;

    /**
     * PEs 0, 1 and 4 on one node, 2 and 3 on another.
     */
    private static String node(final int pe)
    {
        return 2 == pe || 3 == pe ? "right" : "left";
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"AUTO", "UDP", "IPC"})
    void shouldMapOnlyThePesOfItsNode(final TransportKind transport) throws Exception
    {
        LocalJobs.runEach(NPES, (config, pe) -> config.transport(transport).nodeName(node(pe)), (shmem) ->
        {
            final int me = shmem.myPe();
            final boolean isLeft = "left".equals(node(me));
            final int nodeSize = isLeft ? 3 : 2;
            assertEquals(nodeSize, shmem.node().nPes());
            assertEquals(TransportKind.AUTO == transport ? nodeSize : 1, shmem.shared().nPes());
            assertEquals(4 == me ? 1 : 2, shmem.team(PredefinedTeam.SAME_MYPE_NODE).nPes());

            final SymmetricBuffer words = shmem.calloc(2L * NPES, 8);
            for (int pe = 0; pe < NPES; pe++)
            {
                final boolean isMapped = pe == me || TransportKind.AUTO == transport && node(pe).equals(node(me));
                assertTrue(shmem.peAccessible(pe));
                assertEquals(isMapped, null != shmem.ptr(words, pe));
                shmem.defaultContext().putLong(words, 8L * me, 100 + me, pe);
                shmem.defaultContext().atomicAddLong(words, 8L * NPES, 1, pe);
            }

            shmem.barrierAll();
            assertEquals(NPES, words.getLong(8L * NPES));
            for (int pe = 0; pe < NPES; pe++)
            {
                assertEquals(100 + pe, words.getLong(8L * pe));
                assertEquals(100 + me, shmem.defaultContext().getLong(words, 8L * me, pe));
            }

            shmem.world().sync();
            assertEquals(NPES * (NPES - 1) / 2, shmem.world().reduceLong(ReduceOp.SUM, me));
            shmem.node().barrier();
        });
    }

    @Test
    void shouldRefuseToMapAcrossNodes()
    {
        final Exception ex = assertThrows(
            ExecutionException.class,
            () -> LocalJobs.runEach(
                2,
                (config, pe) -> config.transport(TransportKind.MAPPED).nodeName("node-" + pe),
                (shmem) -> {}));
        assertTrue(ex.getCause().getMessage().contains("aeroshmem.node.name"), ex.toString());
    }

    @Test
    void shouldCountItselfToItsHostByDefault() throws Exception
    {
        assertNull(new Shmem.Context().nodeName());
        LocalJobs.run(2, (shmem) -> assertEquals(2, shmem.node().nPes()));
    }
}
