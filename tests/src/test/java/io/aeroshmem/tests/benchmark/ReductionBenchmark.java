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
package io.aeroshmem.tests.benchmark;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.collective.reduction.Reduction;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The cost of combining two blocks of off-heap memory, compared with a copy of the same length. Time per call:
 * three blocks of {@code bytes} each are read or written by a reduction, two by a copy. The choices in GenerateKernels
 * are based on it; whether a kernel is vectorised shows in a run with {@code -jvmArgsAppend -XX:-UseSuperWord}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = {
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"})
@Warmup(iterations = 4, time = 250, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 250, timeUnit = TimeUnit.MILLISECONDS)
public class ReductionBenchmark
{
    private static final int ALIGNMENT = 4096;
    /** Blocks that begin at the same offset in a page would share their sets of the cache. */
    private static final int STAGGER = 640;

    @Param({
        "AND LONG", "LAND BYTE", "LOR INT", "LXOR LONG", "MAXLOC LONG", "MAXLOC DOUBLE",
        "SUM BYTE", "SUM SHORT", "SUM INT", "SUM LONG",
        "PROD BYTE", "PROD SHORT", "PROD INT", "PROD LONG",
        "MAX BYTE", "MAX SHORT", "MAX INT", "MAX LONG",
        "MAX UNSIGNED_BYTE", "MAX UNSIGNED_SHORT", "MAX UNSIGNED_INT", "MAX UNSIGNED_LONG",
        "SUM FLOAT", "PROD FLOAT", "MAX FLOAT", "SUM DOUBLE", "PROD DOUBLE", "MAX DOUBLE",
        "SUM COMPLEX_FLOAT", "PROD COMPLEX_FLOAT", "SUM COMPLEX_DOUBLE", "PROD COMPLEX_DOUBLE",
        "SUM HALF", "PROD HALF", "MAX HALF", "SUM BFLOAT16", "PROD BFLOAT16", "MAX BFLOAT16"})
    private String pair;

    @Param({"16", "8192", "524288", "8388608"})
    private int bytes;

    private ByteBuffer memory;
    private Reduction reduction;
    private long count;
    private long left;
    private long right;
    private long dest;

    @Setup(Level.Trial)
    public void setUp()
    {
        final String[] names = pair.split(" ");
        final ElementType type = ElementType.valueOf(names[1]);
        reduction = Reduction.ofRequest(ReduceOp.valueOf(names[0]), type);
        count = bytes / type.bytes();
        memory = BufferUtil.allocateDirectAligned(3 * (bytes + ALIGNMENT), ALIGNMENT);
        left = BufferUtil.address(memory);
        right = left + bytes + STAGGER;
        dest = right + bytes + STAGGER;
        final SplittableRandom random = new SplittableRandom(1);
        for (long address = left; address < dest; address += type.alignment())
        {
            putRandom(address, type, random.nextDouble(0.5, 2));
        }
    }

    /** Numbers near 1, so that no product of two is a subnormal, which some processors are slow to multiply. */
    private static void putRandom(final long address, final ElementType type, final double value)
    {
        switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> UnsafeApi.putFloat(address, (float)value);
            case DOUBLE, COMPLEX_DOUBLE -> UnsafeApi.putDouble(address, value);
            case HALF -> UnsafeApi.putShort(address, (short)(0x3800 + (int)(value * 1000)));
            case BFLOAT16 -> UnsafeApi.putShort(address, (short)(Float.floatToIntBits((float)value) >>> 16));
            default ->
            {
                final long bits = Double.doubleToLongBits(value);
                switch (type.bytes())
                {
                    case 1 -> UnsafeApi.putByte(address, (byte)bits);
                    case 2 -> UnsafeApi.putShort(address, (short)bits);
                    case 4 -> UnsafeApi.putInt(address, (int)bits);
                    default -> UnsafeApi.putLong(address, bits << 12);
                }
            }
        }
    }

    @Benchmark
    public void combine()
    {
        reduction.combine(null, dest, null, left, null, right, count);
    }

    @Benchmark
    public void copy()
    {
        UnsafeApi.copyMemory(left, dest, bytes);
    }
}
