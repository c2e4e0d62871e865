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
package io.aeroshmem.tests;

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Blocks of 17 MiB, longer than any message of Aeron, and of 64 MiB in the nightly run.
 */
@Tag("jdk")
@Tag("ci")
class LargeBlockTest
{
    private static final int LENGTH = (Integer.getInteger("aeroshmem.test.volume", 1) > 1 ? 64 : 17) << 20;
    private static final int AT = 13;
    private static final int FROM = 3;
    private static final int GUARDS = 64;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldMoveLargeBlocks(final TransportKind transport)
    {
        Job.of(2).transport(transport).heapSize(2L * LENGTH + (4 << 20))
            .run("large blocks", LargeBlockTest::move);
    }

    private static void move(final Pe pe)
    {
        final SymmetricBuffer source = pe.shmem().malloc(LENGTH + GUARDS);
        final SymmetricBuffer dest = pe.shmem().malloc(LENGTH + GUARDS);
        Pattern.fill(source, FROM, LENGTH, Pattern.seed(pe.me()));
        Pattern.guard(dest, 0, dest.length());
        pe.shmem().barrierAll();
        pe.ctx().put(dest, AT, source, FROM, LENGTH, pe.right());
        pe.shmem().barrierAll();
        check(pe, dest, "put");

        Pattern.guard(dest, 0, dest.length());
        pe.shmem().syncAll();
        pe.ctx().getNbi(dest, AT, source, FROM, LENGTH, pe.right());
        pe.ctx().quiet();
        check(pe, dest, "getNbi");
        pe.shmem().barrierAll();

        final UnsafeBuffer local = new UnsafeBuffer(new byte[LENGTH + GUARDS]);
        pe.ctx().get(local, FROM, source, FROM, LENGTH, pe.left());
        Pattern.guard(dest, 0, dest.length());
        pe.shmem().syncAll();
        pe.ctx().put(dest, AT, local, FROM, LENGTH, pe.left());
        pe.shmem().barrierAll();
        check(pe, dest, "get and put with a heap array, which bring back one's own block");
    }

    private static void check(final Pe pe, final SymmetricBuffer dest, final String what)
    {
        final int origin = what.startsWith("get and put") ? pe.me() : pe.left();
        Pattern.check(what, dest, AT, LENGTH, Pattern.seed(origin));
        Pattern.checkGuard(what, dest, 0, AT);
        Pattern.checkGuard(what, dest, (long)AT + LENGTH, dest.length());
    }
}
