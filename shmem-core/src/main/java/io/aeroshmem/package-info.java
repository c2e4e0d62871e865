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
 * The public API of AeroSHMEM: the types that an application imports.
 * <p>
 * A job is a set of processing elements (PEs). Every PE owns a symmetric heap; any PE may put to, get from and
 * atomically update the heap of any other, and teams of PEs run collectives.
 */
package io.aeroshmem;
