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

/* Stream capture, and the graphs that it makes: sequences of operations, which a launch performs in a stream. */
#include "context.h"

using namespace cuda_sim;

namespace
{

Handles<Graph> &graphs()
{
    static Handles<Graph> *instance = new Handles<Graph>();
    return *instance;
}

uintptr_t add(const std::shared_ptr<Graph> &graph)
{
    const uintptr_t handle = next_handle();
    graphs().add(handle, graph);
    return handle;
}

CUresult destroy(const void *handle)
{
    SIM_TRY(enter());
    const bool known = nullptr != graphs().remove(reinterpret_cast<uintptr_t>(handle));
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}

SIM_API cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    return mode > CU_STREAM_CAPTURE_MODE_RELAXED ? CUDA_ERROR_INVALID_VALUE : stream->begin_capture();
}

SIM_API cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == captureStatus)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *captureStatus = stream->capture_status();
    return CUDA_SUCCESS;
}

SIM_API cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    if (nullptr == phGraph)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    std::shared_ptr<Graph> graph;
    *phGraph = nullptr;
    SIM_TRY(stream->end_capture(graph));
    *phGraph = reinterpret_cast<CUgraph>(add(graph));
    return CUDA_SUCCESS;
}

SIM_API cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    SIM_TRY(enter());
    const std::shared_ptr<Graph> graph = graphs().find(reinterpret_cast<uintptr_t>(hGraph));
    if (nullptr == phGraphExec || 0 != flags)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    if (nullptr == graph)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    *phGraphExec = reinterpret_cast<CUgraphExec>(add(std::make_shared<Graph>(*graph)));
    return CUDA_SUCCESS;
}

SIM_API cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    const std::shared_ptr<Graph> graph = graphs().find(reinterpret_cast<uintptr_t>(hGraphExec));
    if (nullptr == graph)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    SIM_TRY(stream->reject_capture());
    for (const std::function<void()> &operation : *graph)
    {
        stream->context->enqueue(stream, operation);
    }

    return CUDA_SUCCESS;
}

SIM_API cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    return destroy(hGraphExec);
}

SIM_API cuGraphDestroy(CUgraph hGraph)
{
    return destroy(hGraph);
}
