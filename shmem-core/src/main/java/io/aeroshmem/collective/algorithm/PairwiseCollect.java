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
 * A collect in which every member puts its block into the dest of every member. The blocks may differ in length, and
 * this PE's own block may be in dest already. {@link PairwiseExchange} describes the order of accesses. Only this PE
 * accesses its own block in its dest.
 */
public final class PairwiseCollect extends PairwiseExchange
{
    public PairwiseCollect(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    long pieces(final int from, final int to)
    {
        final boolean isInPlace = from == to &&
            call().sourceAddress() == call().destAddress() + call().destByteDisplacement(from);
        return isInPlace ? 0 : piecesOf(call().destByteCount(from));
    }

    @Override
    void putPiece(final int rank, final long piece)
    {
        put(
            rank, call().destByteDisplacement(myRank()), call().sourceAddress(), call().destByteCount(myRank()), piece);
    }

    @Override
    void copyPiece(final long piece)
    {
        putPiece(myRank(), piece);
    }
}
