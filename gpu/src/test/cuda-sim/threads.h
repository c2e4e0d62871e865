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
#ifndef CUDA_SIM_THREADS_H
#define CUDA_SIM_THREADS_H

#include <functional>
#include <vector>

namespace cuda_sim
{

/* Runs all tasks at the same time, each on a thread of its own, and returns when all have ended. */
void run_together(std::vector<std::function<void()>> tasks);

/* Keeps the host application's signals away from the calling thread, and names it. */
void prepare_thread(const char *name);

}

#endif
