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
#ifndef CUDA_SIM_HANDLES_H
#define CUDA_SIM_HANDLES_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cuda_sim
{

/* A number that no other object had or will have, so that a stale handle is recognised. */
inline uintptr_t next_handle()
{
    static std::atomic<uintptr_t> last{0x5A0000000000};
    return last.fetch_add(16) + 16;
}

/* The objects of a type by their handles. */
template <typename T>
class Handles
{
public:
    void add(const uintptr_t handle, std::shared_ptr<T> object)
    {
        const std::lock_guard<std::mutex> guard(lock);
        objects[handle] = std::move(object);
    }

    std::shared_ptr<T> find(const uintptr_t handle)
    {
        const std::lock_guard<std::mutex> guard(lock);
        const auto entry = objects.find(handle);
        return objects.end() == entry ? nullptr : entry->second;
    }

    std::shared_ptr<T> remove(const uintptr_t handle)
    {
        const std::lock_guard<std::mutex> guard(lock);
        const auto entry = objects.find(handle);
        if (objects.end() == entry)
        {
            return nullptr;
        }

        std::shared_ptr<T> result = std::move(entry->second);
        objects.erase(entry);
        return result;
    }

    template <typename Predicate>
    std::vector<std::shared_ptr<T>> select(const Predicate &predicate)
    {
        std::vector<std::shared_ptr<T>> result;
        const std::lock_guard<std::mutex> guard(lock);
        for (const auto &entry : objects)
        {
            if (predicate(*entry.second))
            {
                result.push_back(entry.second);
            }
        }

        return result;
    }

private:
    std::mutex lock;
    std::unordered_map<uintptr_t, std::shared_ptr<T>> objects;
};

}

#endif
