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
 * A PE's connection to its job: bootstrap, join, the transport to every peer, and close. The PEs of a job that run in
 * one JVM share a {@code JobProcess}. If a node needs a media driver and the user specifies none, the process that
 * created the job directory of the node runs it: the launcher or, without one, a process of PEs.
 */
package io.aeroshmem.transport.endpoint;
