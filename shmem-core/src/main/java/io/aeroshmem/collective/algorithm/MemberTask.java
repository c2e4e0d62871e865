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

import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamResources;

/** The part of a member in a collective, with the mailboxes to and from the other members. */
abstract class MemberTask extends CollectiveTask
{
    final PeerMailboxes mailboxes;
    final int size;
    final int myRank;

    MemberTask(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
        size = mailboxes.size();
        myRank = mailboxes.myRank();
    }
}
