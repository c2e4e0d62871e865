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
package io.aeroshmem.tests.collective;

import io.aeroshmem.MemoryKind;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.PeMemory;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A PE's own memory, written and compared many bytes at a time.
 */
final class ElementMemory
{
    private static final int CHUNK = 64 * 1024;

    private final PeMemory memory;
    private final SymmetricBuffer buffer;
    /** Null for the memory of a device. A view for each access would take most of the time of strided cases. */
    private final AtomicBuffer host;
    private final UnsafeBuffer stored = new UnsafeBuffer();
    private final byte[] guards = new byte[CHUNK];
    private final byte[] chunk = new byte[CHUNK];
    private final UnsafeBuffer loaded = new UnsafeBuffer(chunk);

    ElementMemory(final PeMemory memory, final SymmetricBuffer buffer)
    {
        this.memory = memory;
        this.buffer = buffer;
        host = MemoryKind.HOST == buffer.kind() ? buffer.local() : null;
        Arrays.fill(guards, Pattern.GUARD);
    }

    /**
     * Allocates memory of each kind of the job. Collective.
     */
    static List<ElementMemory> allocate(final Pe pe, final long length)
    {
        return pe.memory().kinds().stream()
            .map((kind) -> new ElementMemory(pe.memory(), pe.memory().malloc(kind, length)))
            .collect(Collectors.toList());
    }

    SymmetricBuffer buffer()
    {
        return buffer;
    }

    void guard(final long start, final long length)
    {
        for (long done = 0; done < length; done += CHUNK)
        {
            final int part = (int)Math.min(CHUNK, length - done);
            store(start + done, guards, 0, part);
        }
    }

    void store(final long start, final Oracle.Block block, final int bytes)
    {
        final int elements = block.ring().length / bytes;
        for (long done = 0; done < block.elements();)
        {
            final int part = 1 == block.stride() ? (int)Math.min(elements, block.elements() - done) : 1;
            final long at = start + (block.first() + done * block.stride()) * bytes;
            store(at, block.ring(), (int)(done % elements) * bytes, part * bytes);
            done += part;
        }
    }

    void check(final String what, final long start, final Oracle.Block block, final int bytes)
    {
        final int elements = block.ring().length / bytes;
        for (long done = 0; done < block.elements();)
        {
            final int from = (int)(done % elements);
            final int limit = 1 == block.stride() ? Math.min(elements - from, CHUNK / bytes) : 1;
            final int part = (int)Math.min(limit, block.elements() - done);
            load(start + (block.first() + done * block.stride()) * bytes, part * bytes);
            final int wrong =
                Arrays.mismatch(chunk, 0, part * bytes, block.ring(), from * bytes, (from + part) * bytes);
            if (wrong >= 0)
            {
                final int element = wrong / bytes;
                throw new AssertionError(what + ": element " + (done + element) + " of the " + block.elements() +
                    " from " + block.first() + " on is 0x" + hex(chunk, element * bytes, bytes) + ", expected 0x" +
                    hex(block.ring(), (from + element) * bytes, bytes));
            }

            done += part;
        }
    }

    /**
     * Checks that the elements from one on are those of a contiguous block.
     */
    void checkRest(
        final String what, final long start, final Oracle.Block block, final long firstElement, final int bytes)
    {
        final int elements = block.ring().length / bytes;
        for (long done = firstElement; done < block.elements();)
        {
            final int from = (int)(done % elements);
            final int part =
                (int)Math.min(Math.min(elements - from, CHUNK / bytes), block.elements() - done);
            load(start + done * bytes, part * bytes);
            final int wrong =
                Arrays.mismatch(chunk, 0, part * bytes, block.ring(), from * bytes, (from + part) * bytes);
            if (wrong >= 0)
            {
                throw new AssertionError(what + ": element " + (done + wrong / bytes) + " has changed");
            }

            done += part;
        }
    }

    /**
     * Between strided elements nothing has changed.
     */
    void checkGaps(final String what, final long start, final List<Oracle.Block> blocks, final int bytes)
    {
        for (final Oracle.Block block : blocks)
        {
            for (long i = 0; i + 1 < block.elements() && block.stride() > 1; i++)
            {
                checkGuard("gap in " + what, start + (block.first() + i * block.stride() + 1) * bytes,
                    (block.stride() - 1) * bytes);
            }
        }
    }

    void checkGuard(final String what, final long start, final long length)
    {
        for (long done = 0; done < length; done += CHUNK)
        {
            final int part = (int)Math.min(CHUNK, length - done);
            load(start + done, part);
            final int wrong = Arrays.mismatch(chunk, 0, part, guards, 0, part);
            if (wrong >= 0)
            {
                throw new AssertionError(what + ": byte " + (done + wrong) + " of " + length + " has changed");
            }
        }
    }

    private void store(final long start, final byte[] source, final int from, final int length)
    {
        if (null != host)
        {
            host.putBytes(Math.toIntExact(start), source, from, length);
            return;
        }

        stored.wrap(source, from, length);
        memory.write(buffer, start, stored);
    }

    private void load(final long start, final int length)
    {
        if (null != host)
        {
            host.getBytes(Math.toIntExact(start), chunk, 0, length);
            return;
        }

        memory.read(buffer, start, loaded, 0, length);
    }

    private static String hex(final byte[] array, final int index, final int bytes)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = bytes - 1; i >= 0; i--)
        {
            text.append(String.format("%02x", array[index + i]));
        }

        return text.toString();
    }
}
