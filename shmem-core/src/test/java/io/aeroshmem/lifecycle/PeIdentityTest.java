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
package io.aeroshmem.lifecycle;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

@Timeout(60)
@Tag("ci")
class PeIdentityTest
{
    private static final int ROUNDS = 20_000;

    @Test
    void shouldOnlyRejectCallsWhileAnotherThreadCompletesTheSetUp() throws Exception
    {
        final AtomicReference<PeIdentity> bootstrapped = new AtomicReference<>();
        final Thread opener = new Thread(() ->
        {
            while (!Thread.currentThread().isInterrupted())
            {
                final PeIdentity identity = bootstrapped.getAndSet(null);
                if (null == identity)
                {
                    Thread.yield();
                }
                else
                {
                    identity.open();
                }
            }
        });
        opener.setDaemon(true);
        opener.start();
        try
        {
            for (int round = 0; round < ROUNDS; round++)
            {
                final PeIdentity identity = new PeIdentity(0, -1, true, () -> {}, null);
                bootstrapped.set(identity);
                while (identity.isBootstrapped())
                {
                    assertDoesNotThrow(() -> checkOpen(identity));
                }

                identity.checkOpen();
                identity.close();
            }
        }
        finally
        {
            opener.interrupt();
            opener.join();
        }
    }

    private static void checkOpen(final PeIdentity identity)
    {
        try
        {
            identity.checkOpen();
        }
        catch (final IllegalStateException ex)
        {
            // the set-up is not complete yet
            Thread.onSpinWait();
        }
    }
}
