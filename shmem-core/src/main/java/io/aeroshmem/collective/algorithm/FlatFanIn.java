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
import io.aeroshmem.collective.task.TeamResources;

/**
 * A fan-in: every member signals the root. The root waits for all signals, and the other members wait for nothing.
 * <p>
 * <b>Ordering.</b> The signal is the number of the step. A member writes the number to the word GRANTED of its mailbox
 * at the root ({@link io.aeroshmem.collective.task.TeamAreaDescriptor}), by a release store or by a message. Only that
 * member writes the word, and the number only grows. A member that is some calls ahead overwrites it with the number of
 * a later step. The root accepts a later number as the signal of this step too, so a member never waits for the root.
 * The root ends the step when all members have signalled it.
 */
public final class FlatFanIn extends MemberTask
{
    private boolean isRoot;
    private int arrivedIndex;

    public FlatFanIn(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        isRoot = myRank == call.root();
        arrivedIndex = 0;
        if (!isRoot)
        {
            mailboxes.grantAccess(call.root());
        }
    }

    @Override
    public int poll()
    {
        if (!isRoot)
        {
            return DONE;
        }

        while (arrivedIndex < size && (arrivedIndex == myRank || mailboxes.hasGrantedAccess(arrivedIndex)))
        {
            arrivedIndex++;
        }

        return arrivedIndex == size ? DONE : WAITING;
    }
}
