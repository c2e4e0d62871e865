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
 * Receives the lines that one process writes to one of its output streams.
 */
interface LineSink
{
    /** Returns the prefix of each line in UTF-8; may be empty. */
    byte[] tag();

    /**
     * Receives lines, at least one byte, each with its tag; only the rest of an unfinished line has none. The array is
     * not retained. {@code isEnded} is false if the last line is unfinished.
     */
    void write(byte[] bytes, int offset, int length, boolean isEnded);
}
