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

using namespace cuda_sim;

namespace
{

constexpr unsigned EVENT_FLAGS = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;

CUresult enter_event(const CUevent handle, std::shared_ptr<Event> &event)
{
    SIM_TRY(enter());
    event = events().find(reinterpret_cast<uintptr_t>(handle));
    return nullptr == event ? CUDA_ERROR_INVALID_HANDLE : event->context->error();
}

std::shared_ptr<EventRecord> last_record(Event &event)
{
    const std::lock_guard<std::mutex> guard(event.lock);
    return event.record;
}

}

SIM_API cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == phEvent || 0 != (Flags & ~EVENT_FLAGS))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const uintptr_t handle = next_handle();
    events().add(handle, std::shared_ptr<Event>(new Event{context, Flags, handle, {}, {}}));
    counters().live_events++;
    *phEvent = reinterpret_cast<CUevent>(handle);
    return CUDA_SUCCESS;
}

SIM_API cuEventDestroy_v2(CUevent hEvent)
{
    SIM_TRY(enter());
    if (nullptr == events().remove(reinterpret_cast<uintptr_t>(hEvent)))
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    counters().live_events--;
    return CUDA_SUCCESS;
}

SIM_API cuEventRecord(CUevent hEvent, CUstream hStream)
{
    std::shared_ptr<Event> event;
    SIM_TRY(enter_event(hEvent, event));
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (stream->context != event->context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    SIM_TRY(stream->reject_capture());
    const auto record = std::make_shared<EventRecord>();
    {
        const std::lock_guard<std::mutex> guard(event->lock);
        event->record = record;
    }

    stream->context->enqueue(stream, [record] { record->complete(); }, true);
    return CUDA_SUCCESS;
}

SIM_API cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : cuEventRecord(hEvent, hStream);
}

SIM_API cuEventQuery(CUevent hEvent)
{
    std::shared_ptr<Event> event;
    SIM_TRY(enter_event(hEvent, event));
    const std::shared_ptr<EventRecord> record = last_record(*event);
    return nullptr == record || record->is_complete() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

SIM_API cuEventSynchronize(CUevent hEvent)
{
    std::shared_ptr<Event> event;
    SIM_TRY(enter_event(hEvent, event));
    const std::shared_ptr<EventRecord> record = last_record(*event);
    if (nullptr != record)
    {
        record->wait();
    }

    return devices_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : event->context->error();
}

SIM_API cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    std::shared_ptr<Event> start;
    std::shared_ptr<Event> end;
    SIM_TRY(enter_event(hStart, start));
    SIM_TRY(enter_event(hEnd, end));
    if (nullptr == pMilliseconds)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::shared_ptr<EventRecord> first = last_record(*start);
    const std::shared_ptr<EventRecord> second = last_record(*end);
    if (0 != ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) || nullptr == first || nullptr == second)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    if (!first->is_complete() || !second->is_complete())
    {
        return CUDA_ERROR_NOT_READY;
    }

    *pMilliseconds = std::chrono::duration<float, std::milli>(second->time - first->time).count();
    return CUDA_SUCCESS;
}
