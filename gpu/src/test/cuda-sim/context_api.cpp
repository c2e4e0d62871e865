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

using namespace cuda_sim;

namespace
{

/* The primary context of a device: always under the same handle, anew after each last release. */
struct Primary
{
    std::shared_ptr<Context> context;
    int retained = 0;
    unsigned flags = 0;
    uintptr_t handle = 0;
};

std::mutex primaries_lock;

Primary &primary(const int device)
{
    static Primary *instances = new Primary[MAX_DEVICES];
    return instances[device];
}

/* The contexts that a thread has pushed, as handles: a context may be destroyed while threads still have it. */
std::vector<uintptr_t> &stack()
{
    static thread_local std::vector<uintptr_t> instance;
    return instance;
}

constexpr unsigned CONTEXT_FLAGS = 0xff;

/* Ends the primary context; the caller holds the lock. */
void reset(Primary &state)
{
    const std::shared_ptr<Context> context = std::move(state.context);
    state.context = nullptr;
    state.retained = 0;
    if (nullptr != context)
    {
        contexts().remove(context->handle);
        context->destroy();
    }
}

}

namespace cuda_sim
{

std::shared_ptr<Context> current_context()
{
    return stack().empty() ? nullptr : contexts().find(stack().back());
}

}

SIM_API cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    SIM_TRY(Context::error());
    if (nullptr == pctx)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::lock_guard<std::mutex> guard(primaries_lock);
    Primary &state = primary(dev);
    if (nullptr == state.context)
    {
        if (0 == state.handle)
        {
            state.handle = next_handle();
        }

        state.context = std::make_shared<Context>(dev, true, state.flags, state.handle);
        contexts().add(state.handle, state.context);
    }

    state.retained++;
    *pctx = context_handle(*state.context);
    return CUDA_SUCCESS;
}

SIM_API cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    const std::lock_guard<std::mutex> guard(primaries_lock);
    Primary &state = primary(dev);
    if (0 == state.retained)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (0 == --state.retained)
    {
        reset(state);
    }

    return CUDA_SUCCESS;
}

SIM_API cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    const std::lock_guard<std::mutex> guard(primaries_lock);
    reset(primary(dev));
    return CUDA_SUCCESS;
}

SIM_API cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    SIM_TRY(enter_device(dev));
    if (0 != (flags & ~CONTEXT_FLAGS))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::lock_guard<std::mutex> guard(primaries_lock);
    Primary &state = primary(dev);
    state.flags = flags;
    if (nullptr != state.context)
    {
        state.context->flags = flags;
    }

    return CUDA_SUCCESS;
}

SIM_API cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    SIM_TRY(enter_device(dev));
    if (nullptr == flags || nullptr == active)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::lock_guard<std::mutex> guard(primaries_lock);
    *flags = primary(dev).flags;
    *active = nullptr != primary(dev).context;
    return CUDA_SUCCESS;
}

SIM_API cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    SIM_TRY(Context::error());
    if (nullptr == pctx || 0 != (flags & ~CONTEXT_FLAGS))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const auto context = std::make_shared<Context>(dev, false, flags, next_handle());
    contexts().add(context->handle, context);
    stack().push_back(context->handle);
    *pctx = context_handle(*context);
    return CUDA_SUCCESS;
}

SIM_API cuCtxDestroy_v2(CUcontext ctx)
{
    SIM_TRY(enter());
    const std::shared_ptr<Context> context = find_context(ctx);
    if (nullptr == context || context->primary)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (nullptr == contexts().remove(context->handle))
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    context->destroy();
    if (!stack().empty() && context->handle == stack().back())
    {
        stack().pop_back();
    }

    return CUDA_SUCCESS;
}

SIM_API cuCtxPushCurrent_v2(CUcontext ctx)
{
    SIM_TRY(enter());
    if (nullptr == find_context(ctx))
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    stack().push_back(reinterpret_cast<uintptr_t>(ctx));
    return CUDA_SUCCESS;
}

SIM_API cuCtxPopCurrent_v2(CUcontext *pctx)
{
    SIM_TRY(enter());
    if (stack().empty())
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (nullptr != pctx)
    {
        *pctx = reinterpret_cast<CUcontext>(stack().back());
    }

    stack().pop_back();
    return CUDA_SUCCESS;
}

SIM_API cuCtxSetCurrent(CUcontext ctx)
{
    SIM_TRY(enter());
    if (nullptr != ctx && nullptr == find_context(ctx))
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (!stack().empty())
    {
        stack().pop_back();
    }

    if (nullptr != ctx)
    {
        stack().push_back(reinterpret_cast<uintptr_t>(ctx));
    }

    return CUDA_SUCCESS;
}

SIM_API cuCtxGetCurrent(CUcontext *pctx)
{
    SIM_TRY(enter());
    if (nullptr == pctx)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *pctx = stack().empty() ? nullptr : reinterpret_cast<CUcontext>(stack().back());
    return CUDA_SUCCESS;
}

SIM_API cuCtxGetDevice(CUdevice *device)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == device)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *device = context->device;
    return CUDA_SUCCESS;
}

SIM_API cuCtxGetFlags(unsigned int *flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == flags)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *flags = context->flags;
    return CUDA_SUCCESS;
}

SIM_API cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    SIM_TRY(enter());
    const std::shared_ptr<Context> context = nullptr == ctx ? current_context() : find_context(ctx);
    if (nullptr == context)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (nullptr == ctxId)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *ctxId = context->id;
    return CUDA_SUCCESS;
}

SIM_API cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    SIM_TRY(enter());
    if (nullptr == (nullptr == ctx ? current_context() : find_context(ctx)))
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (nullptr == version)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *version = 3020;
    return CUDA_SUCCESS;
}

SIM_API cuCtxSynchronize(void)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    context->synchronize();
    return devices_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : context->error();
}

SIM_API cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr != leastPriority)
    {
        *leastPriority = 0;
    }

    if (nullptr != greatestPriority)
    {
        *greatestPriority = -1;
    }

    return CUDA_SUCCESS;
}

SIM_API cuCtxSetLimit(CUlimit limit, size_t value)
{
    if (write_control(static_cast<int>(limit), value))
    {
        return CUDA_SUCCESS;
    }

    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    return static_cast<int>(limit) <= 2 ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

SIM_API cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == pvalue)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    switch (static_cast<int>(limit))
    {
        case CU_LIMIT_STACK_SIZE:
            *pvalue = 1024;
            return CUDA_SUCCESS;

        case CU_LIMIT_PRINTF_FIFO_SIZE:
            *pvalue = 1 << 20;
            return CUDA_SUCCESS;

        case CU_LIMIT_MALLOC_HEAP_SIZE:
            *pvalue = 8 << 20;
            return CUDA_SUCCESS;

        default:
            return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
}

SIM_API cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (0 != Flags)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::shared_ptr<Context> peer = find_context(peerContext);
    if (nullptr == peer || peer == context)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (peer->device == context->device)
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }

    return has_peer_access(context->device, peer->device) ?
        context->enable_peer(peer->device) : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

SIM_API cuCtxDisablePeerAccess(CUcontext peerContext)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    const std::shared_ptr<Context> peer = find_context(peerContext);
    return nullptr == peer ? CUDA_ERROR_INVALID_CONTEXT : context->disable_peer(peer->device);
}
