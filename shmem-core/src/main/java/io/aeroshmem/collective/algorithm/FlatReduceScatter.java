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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.collective.task.TeamResources;

/**
 * A reduce-scatter in slots of {@code PeerMailboxes}. Each member combines one block: it receives every other member's
 * version of this block. A segment takes one hop, and {@code n - 1} messages per member. {@link FlatCombination}
 * describes the slots and the order of accesses. Blocks may differ in length, and every member knows all lengths. In a
 * call in place, dest is one of two blocks of source: the first block, or the block that this member combines itself
 * and does not send.
 */
public final class FlatReduceScatter extends FlatCombination
{
    public FlatReduceScatter(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    long block(final int rank)
    {
        return call.sourceAddress() + call.sourceByteDisplacement(rank);
    }

    @Override
    long length(final int rank)
    {
        return call.sourceByteCount(rank);
    }
}
