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
package io.aeroshmem;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * An allgather that the program provides by means of its own, such as a socket or an MPI communicator: UCC's
 * {@code ucc_oob_coll_t.allgather}. The library uses it to exchange the id of the job ({@link Bootstrap#outOfBand}) or
 * the parameters of a team ({@link TeamParams#outOfBand}), at most a few hundred bytes from each PE.
 */
@FunctionalInterface
public interface OobCollective
{
    /**
     * Starts an exchange. Called by all ranks with the same length, and not again before it is complete, unless the
     * creation of the team that started it has ended. An exception from it ends the call of the library that needed it.
     *
     * @param source contribution of this rank, from index 0; unchanged until the exchange is complete.
     * @param dest   contributions of all ranks: that of rank r from index r * length.
     * @param length of a contribution, in bytes.
     * @return the request to poll; {@link OobRequest#DONE} if the exchange is complete already.
     */
    OobRequest allgather(DirectBuffer source, MutableDirectBuffer dest, int length);
}
