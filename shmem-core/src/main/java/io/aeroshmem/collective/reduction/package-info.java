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

/**
 * Reductions of blocks of elements. Most operations have a class for each type, and a signed and an unsigned type may
 * share a class. {@link io.aeroshmem.collective.reduction.Reduction#of} and
 * {@link io.aeroshmem.collective.reduction.Reduction#ofRequest} return the instance for an operation and a type.
 * <p>
 * Most classes are generated at build by {@code src/main/kernels/GenerateKernels.java} from the templates beside it,
 * because the compiler only vectorises loops in which it sees the operation. The loops work directly on memory outside
 * the Java heap. In memory of the Java heap, which collectives do not use, elements are combined one by one.
 */
package io.aeroshmem.collective.reduction;
