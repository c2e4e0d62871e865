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
 * The latency of collectives while a program runs: one HdrHistogram for each team, collective and class of message
 * sizes.
 * <p>
 * A {@link io.aeroshmem.latency.LatencyRecording} belongs to a PE and is switched on and off. A
 * {@link io.aeroshmem.latency.TeamLatency} belongs to a {@link io.aeroshmem.Team} object and records the times that its
 * callers have measured. A library thread writes two kinds of files, both in HdrHistogram's own formats: a log (.hlog)
 * of what was recorded in every interval, and distributions (.hgrm) when a team or the PE is closed.
 */
package io.aeroshmem.latency;
