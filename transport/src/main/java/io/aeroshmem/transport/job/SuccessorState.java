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
package io.aeroshmem.transport.job;

/**
 * States of the successor of a job: the job that the processes join when they initialise again after this job. The
 * creator of this job creates the successor when the first PE requests it. The state never decreases.
 */
public final class SuccessorState
{
    /** The creator makes no successor. */
    public static final int NONE = 0;

    /** The creator makes a successor on request. */
    public static final int OFFERED = 1;

    /** A PE has requested the successor, which the creator is to make. */
    public static final int WANTED = 2;

    /** The successor exists; {@link ControlFile#successor()} is the path of its directory. */
    public static final int READY = 3;

    /** The successor could not be made; {@link ControlFile#successor()} is the reason. */
    public static final int FAILED = 4;

    private SuccessorState()
    {
    }
}
