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
package io.aeroshmem.team;

/**
 * The communication between the PEs among which teams are created: the world, or the members of a parent team. Each
 * member publishes blocks in the memory of all other members ({@link CreationCellDescriptor}). The blocks that one
 * member sends to another arrive in order. No operation waits.
 */
interface CreationChannel
{
    int size();

    int myMember();

    /** Returns the PE of the world that a member is. */
    int worldPe(int member);

    /** Returns whether a member's area for a team of a size can be at an offset in its system region. */
    boolean isArea(long offset, int size);

    /**
     * Publishes a block in the memory of another member.
     *
     * @param block {@link CreationCellDescriptor#RECORD} or another.
     * @param stamp not 0.
     * @param count number of words.
     */
    void send(int member, int block, long stamp, long[] words, int count);

    /** Returns the stamp of a block that a member has published, or 0. Acquire. */
    long stamp(int member, int block);

    /**
     * Reads the words of a block that a member has published.
     *
     * @return false if they do not belong to the stamp: the member is writing them, or has published others.
     */
    boolean read(int member, int block, long stamp, long[] words, int from, int count);

    /**
     * Returns why a member sends nothing more: {@link CreationReason#PE_CLOSED} or
     * {@link CreationReason#PARENT_CLOSED}; or null. What it sent before has arrived.
     */
    CreationReason departureReason(int member);

    /** Sends what is buffered. */
    void flush();
}
