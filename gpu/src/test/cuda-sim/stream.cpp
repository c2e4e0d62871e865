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

#include "settings.h"
#include "threads.h"

#include <thread>

namespace cuda_sim
{

namespace
{

unsigned long long next_stream_id()
{
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

}

Stream::Stream(
    std::shared_ptr<Context> context, const Kind kind, const unsigned flags, const int priority) :
    context(std::move(context)),
    kind(kind),
    flags(flags),
    priority(priority),
    handle(next_handle()),
    id(next_stream_id())
{
}

Stream::~Stream() = default;

bool Stream::is_idle()
{
    const std::lock_guard<std::mutex> guard(lock);
    return completed == enqueued;
}

uint64_t Stream::last()
{
    const std::lock_guard<std::mutex> guard(lock);
    return enqueued;
}

void Stream::wait(const uint64_t sequence)
{
    std::unique_lock<std::mutex> guard(lock);
    done.wait(guard, [&] { return completed >= sequence; });
}

void Stream::close()
{
    bool running;
    {
        const std::lock_guard<std::mutex> guard(lock);
        closed = true;
        running = started;
        work.notify_all();
    }

    if (!running)
    {
        context->remove_stream(shared_from_this());
    }
}

CUresult Stream::begin_capture()
{
    const std::lock_guard<std::mutex> guard(lock);
    if (CREATED != kind)
    {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }

    if (nullptr != recording)
    {
        return CUDA_ERROR_ILLEGAL_STATE;
    }

    recording = std::make_shared<Graph>();
    invalidated = false;
    return CUDA_SUCCESS;
}

CUresult Stream::end_capture(std::shared_ptr<Graph> &graph)
{
    const std::lock_guard<std::mutex> guard(lock);
    if (nullptr == recording)
    {
        return CUDA_ERROR_ILLEGAL_STATE;
    }

    graph = std::move(recording);
    recording = nullptr;
    return invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

CUstreamCaptureStatus Stream::capture_status()
{
    const std::lock_guard<std::mutex> guard(lock);
    return nullptr == recording ? CU_STREAM_CAPTURE_STATUS_NONE :
        invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult Stream::reject_capture()
{
    const std::lock_guard<std::mutex> guard(lock);
    invalidated = true;
    return nullptr == recording ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

bool Stream::capture(const std::function<void()> &body)
{
    const std::lock_guard<std::mutex> guard(lock);
    if (nullptr != recording)
    {
        recording->push_back(body);
    }

    return nullptr != recording;
}

uint64_t Stream::append(Operation operation)
{
    const std::lock_guard<std::mutex> guard(lock);
    queue.push_back(std::move(operation));
    if (!started)
    {
        started = true;
        counters().live_threads++;
        std::thread([self = shared_from_this()] { self->run(); }).detach();
    }

    work.notify_one();
    return ++enqueued;
}

void Stream::run()
{
    prepare_thread("cuda-sim-stream");
    std::unique_lock<std::mutex> guard(lock);
    while (true)
    {
        work.wait(guard, [&] { return closed || !queue.empty(); });
        if (queue.empty())
        {
            break;
        }

        Operation operation = std::move(queue.front());
        queue.pop_front();
        guard.unlock();
        for (const Dependency &dependency : operation.dependencies)
        {
            dependency.stream->wait(dependency.sequence);
        }

        if (operation.always || !context->is_ending())
        {
            operation.body();
        }

        operation = Operation();
        guard.lock();
        completed++;
        done.notify_all();
    }

    guard.unlock();
    context->remove_stream(shared_from_this());
    counters().live_threads--;
}

void EventRecord::complete()
{
    const std::lock_guard<std::mutex> guard(lock);
    completed = true;
    time = std::chrono::steady_clock::now();
    changed.notify_all();
}

void EventRecord::wait()
{
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [&] { return completed; });
}

bool EventRecord::is_complete()
{
    const std::lock_guard<std::mutex> guard(lock);
    return completed;
}

Handles<Stream> &streams()
{
    static Handles<Stream> *instance = new Handles<Stream>();
    return *instance;
}

std::shared_ptr<Stream> live_stream(std::shared_ptr<Stream> stream)
{
    if (nullptr == stream)
    {
        fprintf(stderr, "cuda-sim: a call names a stream that was destroyed\n");
        abort();
    }

    return stream;
}

Handles<Event> &events()
{
    static Handles<Event> *instance = new Handles<Event>();
    return *instance;
}

CUresult find_stream(
    const CUstream handle, const std::shared_ptr<Context> &current, std::shared_ptr<Stream> &stream)
{
    if (nullptr == handle || CU_STREAM_LEGACY == handle || CU_STREAM_PER_THREAD == handle)
    {
        if (nullptr == current)
        {
            return CUDA_ERROR_INVALID_CONTEXT;
        }

        stream = CU_STREAM_PER_THREAD == handle ? current->per_thread_stream() : current->legacy_stream();
        return CUDA_SUCCESS;
    }

    stream = live_stream(streams().find(reinterpret_cast<uintptr_t>(handle)));
    return CUDA_SUCCESS;
}

CUresult enter(const CUstream handle, std::shared_ptr<Stream> &stream)
{
    SIM_TRY(enter());
    SIM_TRY(find_stream(handle, current_context(), stream));
    return stream->context->error();
}

}
