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

import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamResources;

/**
 * A fan-out: the root signals every member, and waits for none. The other members wait for its signal.
 * <p>
 * <b>Ordering.</b> The signal is the number of the step ({@link PeerMailboxes}), which the root writes to the word
 * GRANTED of its mailbox at each member, as in {@link FlatFanIn}. A root that is some calls ahead of a member
 * overwrites the word with the number of a later step. The member accepts a later number as the signal of this step
 * too.
 */
public final class FlatFanOut extends MemberTask
{
    private int root;

    public FlatFanOut(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        root = call.root();
        if (myRank == root)
        {
            for (int i = 1; i < size; i++)
            {
                mailboxes.grantAccess((myRank + i) % size);
            }
        }
    }

    @Override
    public int poll()
    {
        return myRank == root || mailboxes.hasGrantedAccess(root) ? DONE : WAITING;
    }
}
