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
package io.aeroshmem.collective.reduction;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;

/**
 * A combination of blocks of HALF or BFLOAT16 in vector registers, by the Vector API of the JDK. The API is in a module
 * that a JVM loads only if it is started with {@code --add-modules jdk.incubator.vector}; without the module there is
 * no instance. As the compiler warns of every use of the module, the implementation, {@code Float16VectorLoops}, is
 * compiled separately, from {@code src/main/vector}, and found by its name.
 */
abstract class Float16Vectors
{
    private static final String MODULE = "jdk.incubator.vector";
    private static final String IMPLEMENTATION = Float16Vectors.class.getPackageName() + ".Float16VectorLoops";

    /** Alignment of the length of a block in bytes, that of the largest vector. */
    static final int MULTIPLE = 64;

    /**
     * Returns the combination by SUM, PROD, MAX or MIN, or null if the module is not loaded or has another API than
     * in Java 17, 18, or 21 and later.
     */
    static Float16Vectors of(final ReduceOp op, final ElementType type)
    {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty())
        {
            return null;
        }

        try
        {
            return (Float16Vectors)Class.forName(IMPLEMENTATION)
                .getDeclaredConstructor(ReduceOp.class, ElementType.class)
                .newInstance(op, type);
        }
        catch (final ReflectiveOperationException | LinkageError ex)
        {
            return null;
        }
    }

    /**
     * Combines a block, unless it holds an element that only the combination of single elements treats as
     * {@link Reduction} specifies. The destination may be one of the operands. They are unchanged if the block is not
     * combined; a destination that is not an operand then holds no result.
     *
     * @param bytes length: a multiple of {@link #MULTIPLE}, at most {@link Scratch#BLOCK_BYTES}.
     * @return whether the results are stored; otherwise the elements are to be combined one by one.
     */
    abstract boolean combine(long dest, long left, long right, int bytes);
}
