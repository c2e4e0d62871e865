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
package io.aeroshmem.transport.job;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(60)
class ProcessIdentityTest
{
    @Test
    void shouldKnowItself()
    {
        final ProcessIdentity self = ProcessIdentity.current();
        assertEquals(ProcessHandle.current().pid(), self.pid());
        assertTrue(self.startTime() > 0);
        assertTrue(self.isAlive());
    }

    @Test
    void shouldNotKillAnotherProcessWithThePid() throws Exception
    {
        try (JobProcess other = JobProcess.start())
        {
            final ProcessIdentity identity = ProcessIdentity.of(ProcessHandle.of(other.pid()).orElseThrow());
            assertTrue(identity.isAlive());

            final ProcessIdentity earlier = new ProcessIdentity(other.pid(), identity.startTime() - 10_000);
            assertFalse(earlier.isAlive());
            assertFalse(earlier.kill());
            assertFalse(new ProcessIdentity(other.pid(), 0).kill());
            assertFalse(new ProcessIdentity(0, identity.startTime()).kill());
            assertFalse(ProcessIdentity.current().kill());
            assertTrue(other.isAlive());

            assertTrue(identity.kill());
            Await.until(() -> !other.isAlive(), () -> "still alive");
            assertFalse(identity.kill());
            assertFalse(identity.isAlive());
        }
    }
}
