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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * Measuring loop of one operation: a {@link CallLoop}, or one of {@link MeasuringLoops}. In a loop that several calls
 * shared, the compiler could not inline them.
 */
@FunctionalInterface
interface MeasuringLoop
{
    /** One call of an operation; the number counts from 0. */
    @FunctionalInterface
    interface Call
    {
        void call(MeasurementTarget target, int number);
    }

    /**
     * Makes calls and times them.
     *
     * @param target  operands of the calls.
     * @param samples receives the time of each call in nanoseconds, from index 0; rates do not touch it.
     * @param count   number of calls, at most {@code samples.length} unless this is a rate.
     * @return nanoseconds of the whole loop.
     */
    long measure(MeasurementTarget target, long[] samples, int count);

    /** Returns a loop for calls that are complete when they return. */
    static MeasuringLoop of(final Call call)
    {
        return of(call, false);
    }

    /** Returns a loop for calls that each are completed by a quiet. */
    static MeasuringLoop completed(final Call call)
    {
        return of(call, true);
    }

    private static MeasuringLoop of(final Call call, final boolean isCompleted)
    {
        try (InputStream bytes = CallLoop.class.getResourceAsStream(CallLoop.class.getSimpleName() + ".class"))
        {
            return (MeasuringLoop)MethodHandles.lookup()
                .defineHiddenClassWithClassData(bytes.readAllBytes(), List.of(call, isCompleted), true)
                .lookupClass().getDeclaredConstructor().newInstance();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
