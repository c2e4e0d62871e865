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
#ifndef CUDA_SIM_CONTEXT_H
#define CUDA_SIM_CONTEXT_H

#include "stream.h"

#include <set>

namespace cuda_sim
{

/*
 * A context: the streams of a device's user. Operations of blocking streams and of the legacy default stream are
 * ordered as CUDA orders them: an operation of the legacy stream comes after everything that was enqueued on blocking
 * streams before it, and before everything that is enqueued on them after it. `order` makes looking at the ends of the
 * other queues and appending to one's own a single step.
 */
class Context : public std::enable_shared_from_this<Context>
{
public:
    Context(int device, bool primary, unsigned flags, uintptr_t handle);
    ~Context();

    /*
     * Enqueues an operation, or records it if the stream is being captured. One that is always performed is so even
     * after the context has failed.
     */
    uint64_t enqueue(const std::shared_ptr<Stream> &stream, std::function<void()> body, bool always = false);

    /*
     * Performs a short operation in the order of the legacy stream and returns when it is done: at once on the calling
     * thread if nothing is in flight, which costs no switch between threads.
     */
    CUresult perform(std::function<void()> body);

    std::shared_ptr<Stream> create_stream(Stream::Kind kind, unsigned flags, int priority);

    std::shared_ptr<Stream> legacy_stream();

    std::shared_ptr<Stream> per_thread_stream();

    void remove_stream(const std::shared_ptr<Stream> &stream);

    /* Waits until everything enqueued so far is done. */
    void synchronize();

    /* The error that ended the contexts of this process, or CUDA_SUCCESS. */
    static CUresult error()
    {
        return failure.load(std::memory_order_acquire);
    }

    /* Ends this context, and with it all others of the process: none works again. */
    static void fail(CUresult code)
    {
        CUresult expected = CUDA_SUCCESS;
        failure.compare_exchange_strong(expected, code);
    }

    /* Whether operations are skipped, and waits and kernels end: failed, device lost, or being destroyed. */
    bool is_ending() const;

    /* Ends streams, then frees whatever the context owns. */
    void destroy();

    CUresult enable_peer(int peer);
    CUresult disable_peer(int peer);
    bool reaches(int other_device);

    const int device;
    const bool primary;
    unsigned flags;
    const uintptr_t handle;
    const unsigned long long id;

private:
    std::vector<std::shared_ptr<Stream>> all_streams();

    std::mutex order;
    std::mutex lock;
    std::vector<std::shared_ptr<Stream>> open_streams;
    std::shared_ptr<Stream> legacy;
    std::set<int> peers;
    static std::atomic<CUresult> failure;
    std::atomic<bool> destroyed{false};
    std::atomic<bool> aborted{false};
};

Handles<Context> &contexts();

CUcontext context_handle(const Context &context);

std::shared_ptr<Context> find_context(CUcontext handle);

/* The calling thread's current context: null if there is none or if it has been destroyed. */
std::shared_ptr<Context> current_context();

/* Frees memory, imports and registrations of a context (memory.cpp) and its modules (module.cpp). */
void free_ranges(const Context &context);
void unload_modules(const Context &context);

bool is_valid_device(int device);

/* Whether a device reaches the memory of another, and whether its atomic operations there are atomic; by ordinals. */
bool has_peer_access(int device, int peer);
bool has_peer_atomics(int device, int peer);

}

#endif
