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
 * The life cycle of a PE:
 * <ul>
 *     <li>its identity and state;</li>
 *     <li>bootstraps by an exchange of ids;</li>
 *     <li>the exceptions of a failed job, and the global exit;</li>
 *     <li>how often a job begins another generation.</li>
 * </ul>
 */
package io.aeroshmem.lifecycle;
