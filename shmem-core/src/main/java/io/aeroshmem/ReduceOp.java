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
 * The operation that combines two elements of a reduction. The blocking collectives of {@link Team} accept the first
 * seven.
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
    /** Average: the sum divided by the number of PEs. */
    AVG,
    /** Logical and: 1 where both are not 0. */
    LAND,
    /** Logical or: 1 where at least one is not 0. */
    LOR,
    /** Logical exclusive or: 1 where exactly one is not 0. */
    LXOR,
    /** The greater, and its location. */
    MAXLOC,
    /** The smaller, and its location. */
    MINLOC
}
