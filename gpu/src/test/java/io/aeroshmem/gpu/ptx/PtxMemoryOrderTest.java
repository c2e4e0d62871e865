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
package io.aeroshmem.gpu.ptx;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * The fences, barriers, atomic operations and ordered accesses of the functions whose protocols the litmus tests
 * describe (src/test/litmus), in the order of the PTX. What one of them is missing, a processor may hide.
 *
 * <p>If the sources change, compare the new sequence with the litmus tests. Another nvcc may arrange it otherwise: an
 * access within a loop appears once more where nvcc has peeled the loop.</p>
 */
class PtxMemoryOrderTest
{
    private static final Pattern ORDERED = Pattern.compile(
        "(?:@!?%\\w+\\s+)?((?:membar|fence|bar|atom|shfl|vote|activemask)[.\\w]*|" +
        "(?:ld|st)\\.(?:relaxed|acquire|release|volatile)[.\\w]*).*", Pattern.DOTALL);

    enum Protocol
    {
        SIGNAL(PtxFile.KERNELS, "aeroshmem_signal",
            "membar.sys", "atom.global.sys.add.u64", "st.release.sys.u64"),
        BARRIER(PtxFile.KERNELS, "aeroshmem_barrier",
            "membar.sys", "st.release.sys.u64", "ld.acquire.sys.u64", "ld.relaxed.sys.u64", "ld.acquire.sys.u64"),
        WAIT_UNTIL_32(PtxFile.KERNELS, "aeroshmem_wait_until_32", "ld.acquire.sys.u32", "ld.relaxed.sys.u64"),
        WAIT_UNTIL_64(PtxFile.KERNELS, "aeroshmem_wait_until_64", "ld.acquire.sys.u64", "ld.relaxed.sys.u64"),
        REPORT(PtxFile.SAMPLES, "6reportE", "atom.global.cas.b64", "st.release.sys.u64"),
        QUIET(PtxFile.SAMPLES, "5quietE",
            "ld.relaxed.sys.u64", "ld.relaxed.sys.u64", "membar.sys", "membar.sys", "atom.global.max.u64"),
        /* Ticket; slot; entry; a look at the abort word; result, with looks at the abort word; acknowledgement. */
        REQUEST(PtxFile.SAMPLES, "7requestE",
            "activemask.b32", "atom.global.add.u64", "shfl.sync.idx.b32", "shfl.sync.idx.b32", "bar.warp.sync",
            "ld.relaxed.sys.u64", "membar.gl", "ld.acquire.sys.u64", "membar.gl", "atom.global.max.u64",
            "st.release.sys.u64",
            "ld.relaxed.sys.u64",
            "ld.acquire.sys.u64", "ld.relaxed.sys.u64", "ld.acquire.sys.u64", "ld.relaxed.sys.u64",
            "ld.relaxed.sys.u64", "st.release.sys.u64"),
        PUT_SIGNAL(PtxFile.SAMPLES, "10put_signalI", "st.release.sys.u64"),
        SIGNAL_WAIT_UNTIL(PtxFile.SAMPLES, "17signal_wait_untilE",
            "ld.acquire.sys.u64", "ld.relaxed.sys.u64", "ld.acquire.sys.u64"),
        SEND_WORD(PtxFile.SAMPLES, "9send_wordE", "st.release.sys.u64"),
        AWAIT_FLAG(PtxFile.SAMPLES, "10await_flagE",
            "ld.acquire.sys.u64", "ld.relaxed.sys.u64", "ld.acquire.sys.u64"),
        SYNCHRONIZE(PtxFile.SAMPLES, "11synchronizeI", "bar.sync", "bar.red.or.pred"),
        PUT(PtxFile.SAMPLES, "6device3putI", "bar.sync", "bar.sync");

        final PtxFile file;
        final String function;
        final List<String> order;

        Protocol(final PtxFile file, final String function, final String... order)
        {
            this.file = file;
            this.function = function;
            this.order = List.of(order);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldOrderMemoryAsTheProtocolDoes(final Protocol protocol) throws IOException
    {
        check(protocol, protocol.file.read());
    }

    /** Compares the functions of this name. */
    static void check(final Protocol protocol, final String ptx)
    {
        int count = 0;
        for (final Function function : new PtxModule(ptx).functions)
        {
            if (null != function.body && function.name.contains(protocol.function))
            {
                assertEquals(protocol.order, order(function), function.name);
                count++;
            }
        }

        if (0 == count)
        {
            fail("no function " + protocol.function);
        }
    }

    private static List<String> order(final Function function)
    {
        return function.body.stream().map(ORDERED::matcher).filter(matcher -> matcher.matches())
            .map(matcher -> matcher.group(1)).collect(Collectors.toList());
    }

    /** The table of the litmus tests names each file, and the protocols of the sources that exist. */
    @Test
    void shouldDescribeEachLitmusTest() throws IOException
    {
        final Path folder = Path.of("src/test/litmus");
        final String readme = Files.readString(folder.resolve("README.md"));
        try (var files = Files.list(folder))
        {
            files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".litmus"))
                .map(name -> name.replace(".litmus", "")).filter(name -> !readme.contains("`" + name + "`"))
                .forEach(name -> fail("README.md does not name " + name));
        }
    }
}
