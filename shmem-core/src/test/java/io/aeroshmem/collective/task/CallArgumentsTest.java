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
package io.aeroshmem.collective.task;

import io.aeroshmem.ElementType;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CallArgumentsTest
{
    @Test
    void shouldKeepNothingThatACallMayLeaveOut()
    {
        final CallArguments arguments = new CallArguments();
        arguments.of(Routine.FCOLLECT, ElementType.LONG, 1)
            .root(1)
            .strides(2, 3)
            .counts(new long[]{16, 24}, new long[]{0, 16})
            .sourceCounts(new long[]{32, 40}, new long[]{0, 32})
            .finishNeeded(true)
            .sourceAtOwnBlock(8);
        assertEquals(40, arguments.longestBlockBytes());
        assertFalse(arguments.isSourceAlike());

        arguments.of(Routine.FCOLLECT, ElementType.LONG, 2).dest(0, 64, 64).source(0, 64, 64);
        assertEquals(16, arguments.longestBlockBytes());
        assertEquals(16, arguments.destByteCount(1));
        assertEquals(16, arguments.sourceByteCount(1));
        assertEquals(0, arguments.root());
        assertEquals(1, arguments.destStride());
        assertEquals(1, arguments.sourceStride());
        assertFalse(arguments.isFinishNeeded());
        assertTrue(arguments.isSourceAlike());
    }
}
