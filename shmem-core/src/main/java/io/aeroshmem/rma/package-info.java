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
 * Contexts: what one PE does to another, over whichever transport reaches it.
 * <p>
 * {@link io.aeroshmem.rma.RmaContext} is the way in. It checks arguments, translates ranks and calls the transport;
 * {@link io.aeroshmem.rma.Completion} remembers what a quiet has to wait for; {@link io.aeroshmem.rma.Strided} loops
 * over elements and blocks.
 */
package io.aeroshmem.rma;
