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
 * Detection of calls that the thread level of a PE does not allow (property {@code aeroshmem.check.threads}).
 * {@link io.aeroshmem.thread.ThreadGuard} defines them. The other classes wrap the parts of a PE that perform calls,
 * and pass the guard around each call; a PE without checks uses the parts themselves, at no cost.
 */
package io.aeroshmem.thread;
