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
 * The state of a job's successor, which its processes go on to when they have left it: the creator of the one makes the
 * other when a PE first asks for it. States only grow.
 */
public final class SuccessorState
{
    /**
     * The creator makes no successor.
     */
    public static final int NONE = 0;

    /**
     * The creator makes one when it is asked to.
     */
    public static final int OFFERED = 1;

    /**
     * A PE has asked; the creator is to make one.
     */
    public static final int WANTED = 2;

    /**
     * There is one; {@link Control#successor()} is the path of its directory.
     */
    public static final int READY = 3;

    /**
     * It could not be made; {@link Control#successor()} is the reason.
     */
    public static final int FAILED = 4;

    private SuccessorState()
    {
    }
}
