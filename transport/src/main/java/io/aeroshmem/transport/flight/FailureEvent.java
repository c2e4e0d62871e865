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
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Event of a call that throws because the job has failed. */
@Name("io.aeroshmem.Failure")
@Label("Failure")
@Description("A call that throws because the job has failed")
@Category("AeroSHMEM")
final class FailureEvent extends Event
{
    @Label("Failed PE")
    @Description("for the failure of a driver the PE that reports it; -1 if no PE is known")
    private int failedPe;

    @Label("Kind")
    private String kind;

    @Label("Message")
    private String message;

    void emit(final int failedPe, final String kind, final String message)
    {
        this.failedPe = failedPe;
        this.kind = kind;
        this.message = message;
        commit();
    }
}
