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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.nio.file.Path;

/**
 * What check-versions.sh runs on the jars of two versions, as a source file: a PE of a job of two processes that puts,
 * adds and waits, and a job that writes a snapshot, or restores it.
 */
public final class VersionsMeet
{
    private static final int PES = 2;
    private static final int WORDS = 1024;
    private static final String NAME = "words of both versions";
    private static final int LAYOUT = 3;

    private VersionsMeet()
    {
    }

    /** @param args {@code exchange}, {@code snapshot DIRECTORY} or {@code restore DIRECTORY}. */
    public static void main(final String[] args) throws Exception
    {
        switch (args[0])
        {
            case "exchange" -> Shmem.run(new Shmem.Context(), VersionsMeet::exchange);
            case "snapshot" -> Shmem.runLocal(PES, new Shmem.Context(), (shmem) -> snapshot(shmem, Path.of(args[1])));
            case "restore" -> Shmem.runLocal(PES, new Shmem.Context(), (shmem) -> restore(shmem, Path.of(args[1])));
            default -> throw new IllegalArgumentException(args[0]);
        }

        System.out.println(args[0] + " done");
    }

    private static void exchange(final Shmem shmem)
    {
        final int peer = 1 - shmem.myPe();
        final SymmetricBuffer words = shmem.calloc(WORDS, Long.BYTES);
        final SymmetricBuffer count = shmem.calloc(1, Long.BYTES);
        for (int i = 0; i < WORDS; i++)
        {
            shmem.defaultContext().putLong(words, (long)i * Long.BYTES, value(peer, i), peer);
            shmem.defaultContext().atomicAddLong(count, 0, i, peer);
        }

        shmem.barrierAll();
        verify(shmem, words);
        require(WORDS * (WORDS - 1L) / 2, count.getLong(0), "the sum");
        require(value(peer, 7), shmem.defaultContext().getLong(words, 7 * Long.BYTES, peer), "a word got");
        shmem.barrierAll();
    }

    private static void snapshot(final Shmem shmem, final Path directory)
    {
        final SymmetricBuffer words = shmem.retain(NAME, (long)WORDS * Long.BYTES, LAYOUT);
        for (int i = 0; i < WORDS; i++)
        {
            words.putLong((long)i * Long.BYTES, value(shmem.myPe(), i));
        }

        shmem.snapshot(directory);
    }

    private static void restore(final Shmem shmem, final Path directory)
    {
        shmem.restore(directory);
        verify(shmem, shmem.retain(NAME, (long)WORDS * Long.BYTES, LAYOUT));
    }

    private static void verify(final Shmem shmem, final SymmetricBuffer words)
    {
        for (int i = 0; i < WORDS; i++)
        {
            require(value(shmem.myPe(), i), words.getLong((long)i * Long.BYTES), "word " + i);
        }
    }

    private static long value(final int pe, final int index)
    {
        return 0x9E37_79B9_7F4A_7C15L * (pe * WORDS + index + 1);
    }

    private static void require(final long expected, final long actual, final String what)
    {
        if (expected != actual)
        {
            throw new IllegalStateException(what + " must be " + expected + ": " + actual);
        }
    }
}
