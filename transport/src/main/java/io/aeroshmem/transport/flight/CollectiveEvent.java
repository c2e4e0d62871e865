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
package io.aeroshmem.transport.flight;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Event of a collective call that has returned, or of a collective request that is complete. It is disabled unless a
 * recording enables it by name, as there can be millions of these events.
 */
@Name("io.aeroshmem.Collective")
@Label("Collective")
@Description("A collective call that has returned")
@Category("AeroSHMEM")
@Enabled(false)
@StackTrace(false)
final class CollectiveEvent extends Event implements CollectiveSpan
{
    @Label("PE")
    private int pe;

    @Label("Routine")
    private String routine;

    @Label("Team")
    private String team;

    @Label("Size")
    @Description("Bytes of this PE's block")
    @DataAmount
    private long bytes;

    @Override
    public void end(final int pe, final String routine, final String team, final long bytes)
    {
        end();
        if (shouldCommit())
        {
            this.pe = pe;
            this.routine = routine;
            this.team = team;
            this.bytes = bytes;
            commit();
        }
    }
}
