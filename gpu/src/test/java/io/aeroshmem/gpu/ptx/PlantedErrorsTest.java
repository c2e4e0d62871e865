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

import io.aeroshmem.gpu.sim.SimulatedDriver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Errors that are planted in the PTX, each of which has to be found: by a test of the module that passes otherwise, by
 * the comparison with the order of memory in the litmus tests, or by the translator.
 */
@Tag("exhaustive")
class PlantedErrorsTest
{
    private static final int LIMIT_S = 60;

    /* What finds an error: the name of a test class in the package io.aeroshmem.gpu, or one of these. */
    private static final String ORDER = "PtxMemoryOrderTest";
    private static final String TRANSLATOR = "PtxTranslator";

    @TempDir
    Path folder;

    enum PlantedError
    {
        WIDTH_OF_A_STORE(
            PtxFile.KERNELS, "aeroshmem_strided_copy_4", "st\\.u32", "st.u16", "StridedCopyTest"),
        NEXT_ADDRESS(
            PtxFile.KERNELS, "aeroshmem_strided_copy_4", "(ld\\.u32\\s+%r\\d+, \\[%rd\\d+)]", "$1+4]",
            "StridedCopyTest"),
        INVERTED_PREDICATE(
            PtxFile.KERNELS, "aeroshmem_wait_until_32", "(setp\\.lt\\.s32[^;]*;\\s+)@", "$1@!",
            "SynchronizationKernelsTest"),
        COMPARISON(
            PtxFile.KERNELS, "aeroshmem_wait_until_64", "setp\\.lt\\.s64", "setp.le.s64", "SynchronizationKernelsTest"),
        SIGN_EXTENSION(
            PtxFile.KERNELS, "aeroshmem_combine_byte", "ld\\.s8", "ld.u8", "ReductionKernelsTest"),
        ROUNDING_OF_16_BITS(
            PtxFile.KERNELS, "aeroshmem_combine_bfloat16", "32767", "32768", "ReductionKernelsTest"),
        EXCHANGED_SELECTION(
            PtxFile.KERNELS, "aeroshmem_combine_float", "(selp\\.f32\\s+%f\\d+), (%f\\d+), 0f7FC00000",
            "$1, 0f7FC00000, $2", "ReductionKernelsTest"),
        OTHER_ATOMIC_OPERATION(
            PtxFile.KERNELS, "aeroshmem_atomic_64", "atom\\.global\\.sys\\.or", "atom.global.sys.xor",
            "AtomicKernelsTest"),
        MISSING_RELEASE_OF_AN_ENTRY(
            PtxFile.RING, "7requestE", "st\\.release", "st.relaxed", "ProxyRingSoakTest"),
        MASK_OF_OTHER_LANES(
            PtxFile.RING, "7requestE", "bar\\.warp\\.sync\\s+%r\\d+", "bar.warp.sync 1", "ProxyRingSoakTest"),
        LENGTH_OF_A_SLOT(
            PtxFile.RING, "7requestE", "(shl\\.b64\\s+%rd\\d+, %rd\\d+), 6", "$1, 5", "ProxyRingSoakTest"),
        MISSING_BARRIER_OF_THE_BLOCK(
            PtxFile.SIMULATION, "sim_test_block_sum", "bar\\.sync\\s+0;", "", "sim.SimulatedModuleTest"),
        MISSING_BARRIER_OF_A_PUT(
            PtxFile.SAMPLES, "6device3putI", "bar\\.sync\\s+0;", "", ORDER),
        MISSING_FENCE(
            PtxFile.SAMPLES, "5quietE", "membar\\.sys;(?=[^;]*;[^;]*;[^;]*atom)", "", ORDER),
        MISSING_FENCE_OF_A_SIGNAL(
            PtxFile.KERNELS, "aeroshmem_signal", "membar\\.sys;", "", ORDER),
        MISSING_ACQUIRE(
            PtxFile.SAMPLES, "10await_flagE", "ld\\.acquire", "ld.relaxed", ORDER),
        MISSING_BARRIER_OF_THE_WARP(
            PtxFile.SAMPLES, "7requestE", "bar\\.warp\\.sync[^;]*;", "", ORDER),
        SCOPE_OF_AN_ATOMIC_OPERATION(
            PtxFile.KERNELS, "aeroshmem_signal", "atom\\.global\\.sys", "atom.global", ORDER),
        FUSIBLE_ADDITION(
            PtxFile.KERNELS, "aeroshmem_combine_float", "add\\.rn\\.f32", "add.f32", TRANSLATOR),
        ROUNDING_TO_ZERO(
            PtxFile.KERNELS, "aeroshmem_combine_double", "mul\\.rn\\.f64", "mul.rz.f64", TRANSLATOR);

        final PtxFile file;
        final String function;
        final Pattern pattern;
        final String replacement;
        final String finder;

        PlantedError(
            final PtxFile file, final String function, final String pattern, final String replacement,
            final String finder)
        {
            this.file = file;
            this.function = function;
            this.pattern = Pattern.compile(pattern);
            this.replacement = replacement;
            this.finder = finder;
        }

        /** The PTX with the error, at all places of the function that match. */
        String plant(final String ptx)
        {
            final Matcher definition =
                Pattern.compile(function + "\\w*\\([^)]*\\)\\s*\\{.*?\n}", Pattern.DOTALL).matcher(ptx);
            assertTrue(definition.find(), "no function " + function);
            final String planted = pattern.matcher(definition.group()).replaceAll(replacement);
            assertNotEquals(definition.group(), planted, "the function has no " + pattern);
            return ptx.substring(0, definition.start()) + planted + ptx.substring(definition.end());
        }
    }

    @BeforeAll
    static void requireTranslation()
    {
        assumeTrue(SimulatedDriver.isAvailable() && SimulatedDriver.isOfPtx(), "only on PTX: -Dtest.ptx.skipped=false");
    }

    /** The tests pass without an error, within the limit. */
    @ParameterizedTest
    @ValueSource(strings = {
        "StridedCopyTest", "SynchronizationKernelsTest", "ReductionKernelsTest", "AtomicKernelsTest",
        "ProxyRingSoakTest", "sim.SimulatedModuleTest"})
    void shouldPassWithoutAnError(final String test) throws Exception
    {
        assertEquals(0, run(test, ""));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeFound(final PlantedError error) throws Exception
    {
        final String ptx = error.plant(error.file.read());
        switch (error.finder)
        {
            case TRANSLATOR:
                assertThrows(UntranslatableException.class, () -> PtxTranslator.translate(ptx));
                break;
            case ORDER:
                PtxTranslator.translate(ptx);
                assertThrows(AssertionError.class, () -> checkOrder(error, ptx));
                break;
            default:
                final Path source = Files.writeString(folder.resolve("planted.ptx"), ptx);
                assertNotEquals(0, run(error.finder, compile(source) + ":"), "the error was not found");
                break;
        }
    }

    private static void checkOrder(final PlantedError error, final String ptx)
    {
        for (final PtxMemoryOrderTest.Protocol protocol : PtxMemoryOrderTest.Protocol.values())
        {
            if (protocol.file == error.file && protocol.function.equals(error.function))
            {
                PtxMemoryOrderTest.check(protocol, ptx);
            }
        }
    }

    private Path compile(final Path ptx) throws IOException, InterruptedException
    {
        final Path library = folder.resolve("libplanted.so");
        final String home = System.getenv("AEROSHMEM_CUDA_SIM_HOME");
        final ProcessBuilder builder = new ProcessBuilder(
            "src/test/cuda-sim/compile-ptx.sh", library.toString(), home + "/libcuda.so.1", "target/test-classes",
            ptx.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        assertEquals(0, builder.inheritIO().start().waitFor());
        return library;
    }

    /** Runs a test class in a JVM whose kernels these libraries replace; 0: all of its tests pass, within the limit. */
    private int run(final String test, final String libraries) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
            "-cp", System.getProperty("java.class.path"), TestRunner.class.getName(), "io.aeroshmem.gpu." + test));
        final Path log = folder.resolve("log");
        final ProcessBuilder builder = new ProcessBuilder(command)
            .redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().merge("AEROSHMEM_CUDA_SIM_KERNELS", libraries, (kernels, first) -> first + kernels);
        final Process process = builder.start();
        final boolean isOver = process.waitFor(LIMIT_S, TimeUnit.SECONDS);
        process.destroyForcibly();
        final String output = Files.readString(log);
        assertTrue(output.contains(TestRunner.STARTED), output);
        System.out.println(output.substring(Math.max(0, output.length() - 1_000)));
        return isOver ? process.exitValue() : -1;
    }
}
