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

import java.nio.charset.StandardCharsets;

/**
 * A line of the output of a process, or a part of one. {@link LineSplitter} makes it; {@link StartHold},
 * {@link TraceHold} or {@link NodeStderr} hold it back or drop it; {@link LineOutput} writes it. No stage changes the
 * arrays.
 *
 * @param tag     its prefix in UTF-8; may be empty.
 * @param text    its bytes, without the tag and the end.
 * @param isRest  whether a part before has been passed on; then the tag is written only if another line came between.
 * @param isEnded whether the line ends here.
 */
record Line(byte[] tag, byte[] text, boolean isRest, boolean isEnded)
{
    String string()
    {
        return new String(text, StandardCharsets.UTF_8);
    }

    /** Returns at most this number of bytes, as a character each. */
    String start(final int length)
    {
        return new String(text, 0, Math.min(length, text.length), StandardCharsets.ISO_8859_1);
    }
}
