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
package io.aeroshmem;

/**
 * The operation that combines two elements of a reduction: {@code ucc_reduction_op_t}. Scans and the blocking
 * collectives of {@link Team} accept only the operations from {@link #AND} to {@link #PROD}. {@link CollectiveRequest}s
 * other than scans accept all operations.
 * <table>
 * <caption>Types</caption>
 * <tr><th>operation</th><th>integers</th><th>FLOAT, DOUBLE, HALF, BFLOAT16</th><th>complex</th></tr>
 * <tr><td>AND, OR, XOR</td><td>yes</td><td>no</td><td>no</td></tr>
 * <tr><td>MAX, MIN</td><td>yes</td><td>yes</td><td>no</td></tr>
 * <tr><td>SUM, PROD</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * <tr><td>AVG</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * <tr><td>LAND, LOR, LXOR</td><td>yes</td><td>no</td><td>no</td></tr>
 * <tr><td>MAXLOC, MINLOC</td><td>yes</td><td>yes</td><td>no</td></tr>
 * </table>
 */
public enum ReduceOp
{
    /** Bitwise and; integers. */
    AND,
    /** Bitwise or; integers. */
    OR,
    /** Bitwise exclusive or; integers. */
    XOR,
    /** The greater; integers, and reals as {@link Math#max(double, double)}. */
    MAX,
    /** The smaller; integers, and reals as {@link Math#min(double, double)}. */
    MIN,
    /** Sum; integers wrap around. */
    SUM,
    /** Product; integers wrap around. */
    PROD,
    /**
     * Average: the result of {@link #SUM}, then one division by the number of members. A sum of integers wraps around
     * before the division. Quotients of integers are truncated; those of unsigned types are quotients of unsigned
     * numbers.
     */
    AVG,
    /** Logical and: 1 where all are not 0, else 0. The three logical operations give 1 or 0 on a team of one too. */
    LAND,
    /** Logical or: 1 where at least one is not 0, else 0. */
    LOR,
    /** Logical exclusive or: 1 where an odd number are not 0, else 0. */
    LXOR,
    /**
     * The greater value, and its place. Value and place are two successive elements of the same type, so the count of a
     * buffer, and of each block, is even. Values are compared as by {@link #MAX}, with NaN as the greatest; of two
     * equal values the one with the lower place is the result.
     */
    MAXLOC,
    /**
     * The smaller value, and its place. Otherwise as {@link #MAXLOC}; values are compared as by {@link #MIN}, for which
     * NaN is the smallest.
     */
    MINLOC
}
