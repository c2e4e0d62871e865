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
package io.aeroshmem.thread;

import io.aeroshmem.ThreadLevel;
import io.aeroshmem.nvtx.NvtxRanges;

/** A guard by which each call that it checks is also a {@link NvtxRanges range} in the view of a profiler. */
final class RangedGuard extends ThreadGuard
{
    RangedGuard(final ThreadLevel level)
    {
        super(level);
    }

    @Override
    public void enter(final String name)
    {
        if (isCheckingCalls())
        {
            super.enter(name);
        }

        NvtxRanges.begin(name);
    }

    @Override
    public void leave()
    {
        NvtxRanges.end();
        if (isCheckingCalls())
        {
            super.leave();
        }
    }
}
