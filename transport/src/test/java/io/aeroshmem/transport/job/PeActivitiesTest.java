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

import io.aeroshmem.transport.job.PeActivities.Activity;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PeActivitiesTest
{
    private static final long TEAM = 5;

    private final PeActivities activities =
        new PeActivities(new UnsafeBuffer(ByteBuffer.allocateDirect(ControlDescriptor.fileLength(2))));

    @Test
    void shouldTellTheCallThatAPeIsBlockedIn()
    {
        assertNull(activities.get(1));
        activities.publish(1, "barrier", " on team WORLD", TEAM, 17, 3, 1_000, 1_200);
        assertEquals(
            new Activity(1_000, 1_200, false, TEAM, 17, 3, 0, "barrier on team WORLD"), activities.get(1));
        assertTrue(activities.get(1).isFresh(1_200 + PeActivities.FRESH_MS - 1));
        assertFalse(activities.get(1).isFresh(1_200 + PeActivities.FRESH_MS));
        assertNull(activities.get(0));

        activities.end(1, 1_300);
        assertTrue(activities.get(1).isEnded());
        assertEquals(1_300, activities.get(1).seenMs());
        assertFalse(activities.get(1).isFresh(1_300));
    }

    @Test
    void shouldCutTextsThatAreTooLong()
    {
        activities.publish(1, "a".repeat(60), "\u00e9" + "b".repeat(60), TEAM, 1, 1, 1, 1);
        assertEquals("a".repeat(60) + "?bbb", activities.get(1).text());
    }

    @Test
    void shouldFindCallsThatDoNotMatch()
    {
        activities.publish(1, "barrier", "", TEAM, 17, 3, 1_000, 1_200);
        assertEquals(-1, activities.mismatch(1, TEAM, 17, 3));
        assertEquals(3, activities.mismatch(1, TEAM, 17, 4));
        assertEquals(-1, activities.mismatch(1, TEAM, 16, 4));
        assertEquals(-1, activities.mismatch(1, TEAM + 1, 17, 4));
    }

    @Test
    void shouldForgetWhatIsKnownOfACallWithTheNextOne()
    {
        activities.publish(1, "barrier", "", TEAM, 17, 3, 1_000, 1_200);
        assertFalse(activities.isPast(1, TEAM, 16));
        activities.flags(1, 999, PeActivities.SENT_ARRIVED);
        assertFalse(activities.isPast(1, TEAM, 16), "it was known of another call");
        activities.flags(1, 1_000, PeActivities.SENT_ARRIVED);
        assertTrue(activities.isPast(1, TEAM, 16));
        assertFalse(activities.isPast(1, TEAM, 17));
        activities.publish(1, "barrier", "", TEAM, 17, 3, 1_000, 1_300);
        assertTrue(activities.isPast(1, TEAM, 16), "the same call");
        activities.publish(1, "reduce", "", TEAM, 18, 4, 1_001, 1_300);
        assertFalse(activities.isPast(1, TEAM, 16));
    }
}
