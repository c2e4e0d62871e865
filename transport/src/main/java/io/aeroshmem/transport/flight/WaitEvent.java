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
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * Event of a blocking call that has waited for longer than a threshold, by default 1 ms.
 */
@Name("io.aeroshmem.Wait")
@Label("Wait")
@Description("A blocking call that has waited for other PEs")
@Category("AeroSHMEM")
@Enabled(false)
@StackTrace(true)
@Threshold("1 ms")
final class WaitEvent extends Event implements WaitSpan
{
    @Label("PE")
    private int pe;

    @Label("Call")
    private String call;

    @Label("Place")
    private String place;

    @Override
    public void end(final int pe, final String call, final String place)
    {
        end();
        if (shouldCommit())
        {
            this.pe = pe;
            this.call = call;
            this.place = place.trim();
            commit();
        }
    }
}
