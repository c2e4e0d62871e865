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
#include "memory.h"

#include "settings.h"

#include <sched.h>
#include <thread>

using namespace cuda_sim;

namespace
{

CUresult create(CUstream *result, const unsigned flags, const int priority)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == result || flags > CU_STREAM_NON_BLOCKING)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::shared_ptr<Stream> stream = context->create_stream(Stream::CREATED, flags, priority);
    streams().add(stream->handle, stream);
    counters().live_streams++;
    *result = reinterpret_cast<CUstream>(stream->handle);
    return CUDA_SUCCESS;
}

template <typename T>
bool holds(const T current, const T value, const unsigned comparison)
{
    typedef typename std::make_signed<T>::type Signed;
    switch (comparison)
    {
        case CU_STREAM_WAIT_VALUE_GEQ:
            return static_cast<Signed>(current - value) >= 0;

        case CU_STREAM_WAIT_VALUE_EQ:
            return current == value;

        case CU_STREAM_WAIT_VALUE_AND:
            return 0 != (current & value);

        default:
            return 0 != static_cast<T>(~(current | value));
    }
}

template <typename T>
CUresult resolve_word(const CUstream handle, const CUdeviceptr address, std::shared_ptr<Stream> &stream, T **word)
{
    SIM_TRY(enter(handle, stream));
    if (!settings().stream_memory_operations)
    {
        return CUDA_ERROR_NOT_SUPPORTED;
    }

    SIM_TRY(stream->reject_capture());
    counters().memory_operations++;
    Location location;
    if (0 != address % sizeof(T))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    SIM_TRY(resolve_device(address, sizeof(T), location));
    *word = reinterpret_cast<T *>(location.memory);
    return CUDA_SUCCESS;
}

template <typename T>
CUresult wait_value(const CUstream handle, const CUdeviceptr address, const T value, const unsigned flags)
{
    std::shared_ptr<Stream> stream;
    T *word;
    SIM_TRY(resolve_word<T>(handle, address, stream, &word));
    const unsigned comparison = flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);
    if (comparison > CU_STREAM_WAIT_VALUE_NOR)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    Context *context = stream->context.get();
    context->enqueue(
        stream,
        [=]
        {
            /* Acquires what the writer of the word, another stream, process or the host, released with it. */
            for (int polls = 0; !holds<T>(__atomic_load_n(word, __ATOMIC_ACQUIRE), value, comparison); polls++)
            {
                if (context->is_ending())
                {
                    return;
                }

                if (polls < 100)
                {
                    sched_yield();
                }
                else
                {
                    std::this_thread::sleep_for(std::chrono::microseconds(20));
                }
            }
        });
    return CUDA_SUCCESS;
}

template <typename T>
CUresult write_value(const CUstream handle, const CUdeviceptr address, const T value, const unsigned flags)
{
    std::shared_ptr<Stream> stream;
    T *word;
    SIM_TRY(resolve_word<T>(handle, address, stream, &word));
    if (flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const bool barrier = CU_STREAM_WRITE_VALUE_DEFAULT == flags;
    stream->context->enqueue(
        stream,
        [=]
        {
            __atomic_store_n(word, value, barrier ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
        });
    return CUDA_SUCCESS;
}

}

SIM_API cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return create(phStream, Flags, 0);
}

SIM_API cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    return create(phStream, flags, priority < -1 ? -1 : priority > 0 ? 0 : priority);
}

SIM_API cuStreamDestroy_v2(CUstream hStream)
{
    SIM_TRY(enter());
    const std::shared_ptr<Stream> stream = live_stream(streams().remove(reinterpret_cast<uintptr_t>(hStream)));
    counters().live_streams--;
    stream->close();
    return CUDA_SUCCESS;
}

SIM_API cuStreamSynchronize(CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    SIM_TRY(stream->reject_capture());
    stream->wait(stream->last());
    return devices_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : stream->context->error();
}

SIM_API cuStreamQuery(CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    SIM_TRY(stream->reject_capture());
    if (!stream->is_idle())
    {
        return CUDA_ERROR_NOT_READY;
    }

    return stream->context->error();
}

SIM_API cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == flags)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *flags = stream->flags;
    return CUDA_SUCCESS;
}

SIM_API cuStreamGetPriority(CUstream hStream, int *priority)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == priority)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *priority = stream->priority;
    return CUDA_SUCCESS;
}

SIM_API cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == streamId)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *streamId = stream->id;
    return CUDA_SUCCESS;
}

SIM_API cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == pctx)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *pctx = context_handle(*stream->context);
    return CUDA_SUCCESS;
}

SIM_API cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    const std::shared_ptr<Event> event = events().find(reinterpret_cast<uintptr_t>(hEvent));
    if (nullptr == event)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    if (Flags > 1)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    SIM_TRY(stream->reject_capture());
    std::shared_ptr<EventRecord> record;
    {
        const std::lock_guard<std::mutex> guard(event->lock);
        record = event->record;
    }

    if (nullptr != record)
    {
        stream->context->enqueue(stream, [record] { record->wait(); });
    }

    return CUDA_SUCCESS;
}

SIM_API cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == fn)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    stream->context->enqueue(
        stream,
        [fn, userData]
        {
            const HostFunctionScope scope;
            fn(userData);
        });
    return CUDA_SUCCESS;
}

SIM_API cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == callback || 0 != flags)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    Context *context = stream->context.get();
    context->enqueue(
        stream,
        [=]
        {
            const HostFunctionScope scope;
            callback(hStream, devices_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : context->error(), userData);
        },
        true);
    return CUDA_SUCCESS;
}

SIM_API cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return wait_value<uint32_t>(stream, addr, value, flags);
}

SIM_API cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return wait_value<uint64_t>(stream, addr, value, flags);
}

SIM_API cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return write_value<uint32_t>(stream, addr, value, flags);
}

SIM_API cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return write_value<uint64_t>(stream, addr, value, flags);
}
