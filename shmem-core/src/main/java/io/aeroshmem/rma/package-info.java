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
 * Communication contexts: one-sided operations on other PEs, over whichever transport reaches them.
 * <p>
 * {@link io.aeroshmem.rma.RmaContext} checks arguments, translates ranks and calls the transport;
 * {@link io.aeroshmem.rma.TypedContext}, which {@code src/main/typed/GenerateTyped.java} generates from the template
 * beside it, has the operations that differ by the type of their elements alone;
 * {@link io.aeroshmem.rma.Completion} tracks what a quiet has to wait for; {@link io.aeroshmem.rma.Strided} loops over
 * elements and blocks.
 */
package io.aeroshmem.rma;
