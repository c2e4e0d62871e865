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

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.util.Arrays;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Conversion of text to and from UTF-8 of bounded length, as stored in the control file.
 */
public final class BoundedText
{
    private BoundedText()
    {
    }

    /**
     * Encodes a text, null as empty, truncated at a character boundary to {@code maxLength} bytes of well-formed UTF-8.
     */
    static byte[] encode(final String text, final int maxLength)
    {
        if (null == text)
        {
            return new byte[0];
        }

        final byte[] bytes = text.getBytes(UTF_8);
        if (bytes.length <= maxLength)
        {
            return bytes;
        }

        int length = maxLength;
        while (length > 0 && isContinuation(bytes[length]))
        {
            length--;
        }

        return Arrays.copyOf(bytes, length);
    }

    /** Returns a text, null as empty, truncated at a character boundary to {@code maxLength} bytes of UTF-8. */
    public static String cut(final String text, final int maxLength)
    {
        final byte[] bytes = encode(text, maxLength);

        return new String(bytes, UTF_8);
    }

    static void put(final MutableDirectBuffer buffer, final int lengthOffset, final int offset, final byte[] text)
    {
        buffer.putBytes(offset, text);
        buffer.putInt(lengthOffset, text.length);
    }

    /**
     * Reads a text that another process wrote. An invalid length is clamped, since a damaged message must not hide the
     * failure that it describes.
     */
    static String get(final DirectBuffer buffer, final int lengthOffset, final int offset, final int maxLength)
    {
        final int length = Math.max(0, Math.min(buffer.getInt(lengthOffset), maxLength));
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);

        return new String(bytes, UTF_8);
    }

    private static boolean isContinuation(final byte value)
    {
        return (value & 0xC0) == 0x80;
    }
}
