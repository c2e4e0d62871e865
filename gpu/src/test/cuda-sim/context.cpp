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
#include "context.h"

#include "address_space.h"
#include "settings.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace cuda_sim
{

namespace
{

/* How long the destruction of a context lets operations in flight go on before it ends them. */
constexpr std::chrono::seconds GRACE(1);

unsigned long long next_context_id()
{
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

/* The per-thread default streams of a thread, by context; they close when the thread ends. */
struct ThreadStreams
{
    std::unordered_map<uint64_t, std::shared_ptr<Stream>> by_context;

    ~ThreadStreams()
    {
        for (const auto &entry : by_context)
        {
            entry.second->close();
        }
    }
};

ThreadStreams &thread_streams()
{
    static thread_local ThreadStreams instance;
    return instance;
}

}

Context::Context(const int device, const bool primary, const unsigned flags, const uintptr_t handle) :
    device(device),
    primary(primary),
    flags(flags),
    handle(handle),
    id(next_context_id())
{
    counters().live_contexts++;
}

Context::~Context() = default;

std::atomic<CUresult> Context::failure{CUDA_SUCCESS};

bool Context::is_ending() const
{
    return CUDA_SUCCESS != error() || aborted.load(std::memory_order_acquire) || devices_lost();
}

std::vector<std::shared_ptr<Stream>> Context::all_streams()
{
    const std::lock_guard<std::mutex> guard(lock);
    std::vector<std::shared_ptr<Stream>> result = open_streams;
    if (nullptr != legacy)
    {
        result.push_back(legacy);
    }

    return result;
}

uint64_t Context::enqueue(const std::shared_ptr<Stream> &stream, std::function<void()> body, const bool always)
{
    if (stream->capture(body))
    {
        return 0;
    }

    const std::lock_guard<std::mutex> guard(order);
    Stream::Operation operation{{}, std::move(body), always};
    if (Stream::LEGACY == stream->kind)
    {
        for (const std::shared_ptr<Stream> &other : all_streams())
        {
            if (other != stream && other->is_blocking() && !other->is_idle())
            {
                operation.dependencies.push_back({other, other->last()});
            }
        }
    }
    else if (stream->is_blocking())
    {
        const std::shared_ptr<Stream> first = legacy_stream();
        if (!first->is_idle())
        {
            operation.dependencies.push_back({first, first->last()});
        }
    }

    return stream->append(std::move(operation));
}

CUresult Context::perform(std::function<void()> body)
{
    const std::shared_ptr<Stream> stream = legacy_stream();
    {
        const std::lock_guard<std::mutex> guard(order);
        bool idle = true;
        for (const std::shared_ptr<Stream> &other : all_streams())
        {
            idle = idle && (!other->is_blocking() || other->is_idle());
        }

        if (idle)
        {
            body();
            return CUDA_SUCCESS;
        }
    }

    stream->wait(enqueue(stream, std::move(body)));
    return devices_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : error();
}

std::shared_ptr<Stream> Context::create_stream(const Stream::Kind kind, const unsigned flags, const int priority)
{
    const auto stream = std::make_shared<Stream>(shared_from_this(), kind, flags, priority);
    const std::lock_guard<std::mutex> guard(lock);
    open_streams.push_back(stream);
    return stream;
}

std::shared_ptr<Stream> Context::legacy_stream()
{
    const std::lock_guard<std::mutex> guard(lock);
    if (nullptr == legacy)
    {
        legacy = std::make_shared<Stream>(shared_from_this(), Stream::LEGACY, CU_STREAM_DEFAULT, 0);
    }

    return legacy;
}

std::shared_ptr<Stream> Context::per_thread_stream()
{
    std::shared_ptr<Stream> &stream = thread_streams().by_context[id];
    if (nullptr == stream)
    {
        stream = create_stream(Stream::PER_THREAD, CU_STREAM_DEFAULT, 0);
    }

    return stream;
}

void Context::remove_stream(const std::shared_ptr<Stream> &stream)
{
    const std::lock_guard<std::mutex> guard(lock);
    open_streams.erase(std::remove(open_streams.begin(), open_streams.end(), stream), open_streams.end());
}

void Context::synchronize()
{
    for (const std::shared_ptr<Stream> &stream : all_streams())
    {
        stream->wait(stream->last());
    }
}

void Context::destroy()
{
    if (destroyed.exchange(true))
    {
        return;
    }

    const auto deadline = std::chrono::steady_clock::now() + GRACE;
    const std::vector<std::shared_ptr<Stream>> ended = all_streams();
    for (const std::shared_ptr<Stream> &stream : ended)
    {
        while (!stream->is_idle() && std::chrono::steady_clock::now() < deadline)
        {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }

    aborted.store(true, std::memory_order_release);
    for (const std::shared_ptr<Stream> &stream : ended)
    {
        stream->wait(stream->last());
        stream->close();
        if (nullptr != streams().remove(stream->handle))
        {
            counters().live_streams--;
        }
    }

    const auto own_event = [this](const Event &event) { return event.context.get() == this; };
    for (const std::shared_ptr<Event> &event : events().select(own_event))
    {
        events().remove(event->handle);
        counters().live_events--;
    }

    unload_modules(*this);
    free_ranges(*this);
    const std::lock_guard<std::mutex> guard(lock);
    open_streams.clear();
    legacy = nullptr;
    counters().live_contexts--;
}

CUresult Context::enable_peer(const int peer)
{
    const std::lock_guard<std::mutex> guard(lock);
    return peers.insert(peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult Context::disable_peer(const int peer)
{
    const std::lock_guard<std::mutex> guard(lock);
    const bool enabled = 1 == peers.erase(peer);
    address_space().invalidate();
    return enabled ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

bool Context::reaches(const int other_device)
{
    if (device == other_device)
    {
        return true;
    }

    const std::lock_guard<std::mutex> guard(lock);
    return 0 != peers.count(other_device);
}

Handles<Context> &contexts()
{
    static Handles<Context> *instance = new Handles<Context>();
    return *instance;
}

CUcontext context_handle(const Context &context)
{
    return reinterpret_cast<CUcontext>(context.handle);
}

std::shared_ptr<Context> find_context(const CUcontext handle)
{
    return contexts().find(reinterpret_cast<uintptr_t>(handle));
}

}
