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
package io.aeroshmem.transport.progress;

import io.aeroshmem.transport.Pause;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class YieldAtStartIdleStrategyTest
{
    private final StringBuilder deeds = new StringBuilder();
    private long nowNs = Long.MAX_VALUE - 1;
    private final IdleStrategy strategy = new YieldAtStartIdleStrategy(
        new IdleStrategy()
        {
            @Override
            public void idle(final int workCount)
            {
                deeds.append("idle ").append(workCount).append(' ');
            }

            @Override
            public void idle()
            {
                deeds.append("idle ");
            }

            @Override
            public void reset()
            {
                deeds.append("reset ");
            }
        },
        new Pause()
        {
            @Override
            public long nanoTime()
            {
                return nowNs;
            }

            @Override
            public void yieldThread()
            {
                deeds.append("yield ");
            }
        },
        Long.MAX_VALUE + 9);

    @Test
    void shouldYieldUntilTheStartIsOver()
    {
        strategy.idle(0);
        strategy.idle(3);
        strategy.idle();
        nowNs += 9;
        strategy.idle(0);
        assertEquals("yield yield yield ", deeds.toString());

        nowNs++;
        strategy.idle(0);
        assertEquals("yield yield yield yield ", deeds.toString(), "the time is read after the last one");
        strategy.idle(0);
        strategy.idle(5);
        strategy.idle();
        strategy.reset();
        nowNs = 0;
        strategy.idle(1);
        assertEquals("yield yield yield yield idle 0 idle 5 idle reset idle 1 ", deeds.toString());
    }
}
