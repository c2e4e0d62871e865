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

/**
 * A collective call of one member, whose operands may be in memory of any kind.
 *
 * @param name        of the call in messages.
 * @param type        of the elements.
 * @param sourceBytes length of its source.
 * @param destBytes   length of its dest.
 * @param isInPlace   whether dest begins where source does.
 * @param action      makes the call.
 */
record MixedCall(
    String name, ElementType type, long sourceBytes, long destBytes, boolean isInPlace, Action action)
{
    /** What makes a call on its operands. */
    interface Action
    {
        void perform(Team team, SymmetricBuffer dest, SymmetricBuffer source);
    }
}
