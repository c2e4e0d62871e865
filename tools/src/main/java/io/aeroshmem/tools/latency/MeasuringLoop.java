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
package io.aeroshmem.tools.latency;

/**
 * Measuring loop of one operation. Most loops of {@link MeasuringLoops} repeat their code for each operation: the call
 * site of a shared loop ({@link CallLoops}) can become megamorphic, and the compiler then cannot inline the call.
 */
@FunctionalInterface
interface MeasuringLoop
{
    /**
     * Makes calls and times them.
     *
     * @param target  operands of the calls.
     * @param samples receives the time of each call in nanoseconds, from index 0; rates do not touch it.
     * @param count   number of calls, at most {@code samples.length} unless this is a rate.
     * @return nanoseconds of the whole loop.
     */
    long measure(MeasurementTarget target, long[] samples, int count);
}
