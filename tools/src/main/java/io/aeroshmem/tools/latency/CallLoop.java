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

import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles;

/**
 * The loop of most operations. {@link MeasuringLoop} defines it anew for each, as a hidden class that has the call as a
 * constant, so that the compiler profiles, inlines and compiles the loop for that operation alone.
 */
final class CallLoop implements MeasuringLoop
{
    private static final Call CALL = data(0, Call.class);
    private static final Boolean IS_COMPLETED = data(1, Boolean.class);

    private static <T> T data(final int index, final Class<T> type)
    {
        try
        {
            return MethodHandles.classDataAt(
                MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, type, index);
        }
        catch (final IllegalAccessException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public long measure(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            CALL.call(target, i);
            if (Boolean.TRUE == IS_COMPLETED)
            {
                target.ctx.quiet();
            }

            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }
}
