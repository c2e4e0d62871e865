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
package io.aeroshmem.tools.launch;

/**
 * Takes the lines of one stream of one process.
 */
interface LineSink
{
    /**
     * What each line begins with.
     *
     * @return the tag in UTF-8; may be empty.
     */
    byte[] tag();

    /**
     * Takes lines, each with its tag; only the rest of a line that was taken unfinished comes without.
     *
     * @param bytes   that hold them; not kept.
     * @param offset  of the first.
     * @param length  of all, at least 1.
     * @param isEnded false if the last of them is unfinished.
     */
    void write(byte[] bytes, int offset, int length, boolean isEnded);
}
