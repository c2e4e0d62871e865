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
#ifndef CUDA_SIM_STREAM_H
#define CUDA_SIM_STREAM_H

#include "api.h"
#include "handles.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace cuda_sim
{

class Context;
class Stream;

/* The operations that were recorded on a stream, in their order. */
typedef std::vector<std::function<void()>> Graph;

/* The operations of a stream up to this one. */
struct Dependency
{
    std::shared_ptr<Stream> stream;
    uint64_t sequence;
};

/*
 * A queue of operations that a thread of the stream's own performs one after another. The thread starts with the first
 * operation and ends when the stream is closed and its queue is empty.
 *
 * Operations are numbered by `enqueued`; those up to `completed` are done. Both change under `lock`: a thread that sees
 * completed >= n also sees what the operations up to n wrote.
 */
class Stream : public std::enable_shared_from_this<Stream>
{
public:
    enum Kind
    {
        LEGACY,
        PER_THREAD,
        CREATED
    };

    Stream(std::shared_ptr<Context> context, Kind kind, unsigned flags, int priority);
    ~Stream();

    bool is_blocking() const
    {
        return 0 == (flags & CU_STREAM_NON_BLOCKING);
    }

    bool is_idle();

    uint64_t last();

    void wait(uint64_t sequence);

    /* Records the operations from now on, instead of performing them. */
    CUresult begin_capture();

    /* Ends the recording, and returns what was recorded. */
    CUresult end_capture(std::shared_ptr<Graph> &graph);

    CUstreamCaptureStatus capture_status();

    /* Rejects a call that a recorded stream does not permit, which makes the recording useless. */
    CUresult reject_capture();

    /* Adds an operation to the recording; false: there is none. */
    bool capture(const std::function<void()> &body);

    /* Lets the thread end once the queue is empty, and the context forget the stream then. */
    void close();

    const std::shared_ptr<Context> context;
    const Kind kind;
    const unsigned flags;
    const int priority;
    const uintptr_t handle;
    const unsigned long long id;

private:
    friend class Context;

    struct Operation
    {
        std::vector<Dependency> dependencies;
        std::function<void()> body;
        bool always;
    };

    uint64_t append(Operation operation);
    void run();

    std::mutex lock;
    std::condition_variable work;
    std::condition_variable done;
    std::deque<Operation> queue;
    uint64_t enqueued = 0;
    uint64_t completed = 0;
    bool started = false;
    bool closed = false;
    /* What is being recorded; null: nothing. */
    std::shared_ptr<Graph> recording;
    bool invalidated = false;
};

/* One recording of an event. */
struct EventRecord
{
    void complete();
    void wait();
    bool is_complete();

    std::mutex lock;
    std::condition_variable changed;
    bool completed = false;
    std::chrono::steady_clock::time_point time;
};

struct Event
{
    const std::shared_ptr<Context> context;
    const unsigned flags;
    const uintptr_t handle;
    std::mutex lock;
    std::shared_ptr<EventRecord> record;
};

Handles<Stream> &streams();

/* The stream of a handle; ends the process if there is none, as a handle of a destroyed stream does NVIDIA's driver. */
std::shared_ptr<Stream> live_stream(std::shared_ptr<Stream> stream);

Handles<Event> &events();

/* The stream that a handle of the caller means: of the current context for the two default streams. */
CUresult find_stream(CUstream handle, const std::shared_ptr<Context> &current, std::shared_ptr<Stream> &stream);

/* As above, with the admission of the call before it; the stream's context must not have failed. */
CUresult enter(CUstream handle, std::shared_ptr<Stream> &stream);

}

#endif
