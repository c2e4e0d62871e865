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
 * The program that {@code aeroshmem latency} and {@code aeroshmem bandwidth} run in each PE.
 * <ul>
 *     <li>{@link io.aeroshmem.tools.latency.LatencyPe} is the main class.</li>
 *     <li>{@link io.aeroshmem.tools.latency.LatencyPlan} specifies the measurements.</li>
 *     <li>{@link io.aeroshmem.tools.latency.LatencyOperation} is the table of the operations and their measuring
 *     loops.</li>
 *     <li>{@link io.aeroshmem.tools.latency.RowWriter} prints the rows, with one implementation for each format.</li>
 * </ul>
 */
package io.aeroshmem.tools.latency;
