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

#include <cstring>

using namespace cuda_sim;

namespace
{

/* A rectangle of bytes that are copied; a plain copy is a single row. */
struct Copy
{
    Location target;
    Location source;
    size_t target_pitch;
    size_t source_pitch;
    size_t width;
    size_t height;

    void perform() const
    {
        for (size_t row = 0; row < height; row++)
        {
            memmove(target.memory + row * target_pitch, source.memory + row * source_pitch, width);
        }
    }

    bool is_empty() const
    {
        return 0 == width || 0 == height;
    }
};

Copy plain(const Location &target, const Location &source, const size_t bytes)
{
    return Copy{target, source, bytes, bytes, bytes, 1};
}

/*
 * A copy that the host waits for, unless both sides are device memory: the host does not wait for those, as with CUDA.
 */
CUresult copy_now(const std::shared_ptr<Context> &context, const Copy &copy)
{
    if (copy.is_empty())
    {
        return CUDA_SUCCESS;
    }

    if (!copy.target.host && !copy.source.host)
    {
        context->enqueue(context->legacy_stream(), [copy] { copy.perform(); });
        return CUDA_SUCCESS;
    }

    return context->perform([copy] { copy.perform(); });
}

/*
 * A copy in stream order. Ordinary host memory is read before the call returns, and is written before it returns:
 * pinned memory is read and written when the stream comes to it.
 */
CUresult copy_on_stream(const std::shared_ptr<Stream> &stream, const Copy &copy)
{
    if (copy.is_empty())
    {
        return CUDA_SUCCESS;
    }

    const std::shared_ptr<Context> context = stream->context;
    if (!copy.source.pinned)
    {
        const auto staged = std::make_shared<std::vector<char>>(copy.width * copy.height);
        const Location staging{staged->data(), true, true};
        const Copy first{staging, copy.source, copy.width, copy.source_pitch, copy.width, copy.height};
        const Copy second{copy.target, staging, copy.target_pitch, copy.width, copy.width, copy.height};
        first.perform();
        const uint64_t sequence = context->enqueue(stream, [staged, second] { second.perform(); });
        if (!copy.target.pinned)
        {
            stream->wait(sequence);
        }

        return CUDA_SUCCESS;
    }

    const uint64_t sequence = context->enqueue(stream, [copy] { copy.perform(); });
    if (!copy.target.pinned)
    {
        stream->wait(sequence);
        return devices_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : context->error();
    }

    return CUDA_SUCCESS;
}

CUresult resolve_side(
    const CUmemorytype type,
    const void *host,
    const CUdeviceptr device,
    const size_t x,
    const size_t y,
    const size_t pitch,
    const CUDA_MEMCPY2D &copy,
    Location &location)
{
    const size_t offset = y * pitch + x;
    const size_t bytes = (copy.Height - 1) * pitch + copy.WidthInBytes;
    switch (type)
    {
        case CU_MEMORYTYPE_HOST:
            return nullptr == host ?
                CUDA_ERROR_INVALID_VALUE : resolve_host(static_cast<const char *>(host) + offset, bytes, location);

        case CU_MEMORYTYPE_DEVICE:
            return resolve_device(device + offset, bytes, location);

        case CU_MEMORYTYPE_UNIFIED:
            return resolve_any(device + offset, bytes, location);

        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult resolve_2d(const CUDA_MEMCPY2D *arguments, Copy &copy)
{
    if (nullptr == arguments)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    copy.width = arguments->WidthInBytes;
    copy.height = arguments->Height;
    if (copy.is_empty())
    {
        return CUDA_SUCCESS;
    }

    /* A pitch of 0 stands for rows without gaps. */
    copy.source_pitch = 0 == arguments->srcPitch ? copy.width + arguments->srcXInBytes : arguments->srcPitch;
    copy.target_pitch = 0 == arguments->dstPitch ? copy.width + arguments->dstXInBytes : arguments->dstPitch;
    if (copy.source_pitch < copy.width + arguments->srcXInBytes ||
        copy.target_pitch < copy.width + arguments->dstXInBytes)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    SIM_TRY(resolve_side(
        arguments->srcMemoryType, arguments->srcHost, arguments->srcDevice, arguments->srcXInBytes, arguments->srcY,
        copy.source_pitch, *arguments, copy.source));
    return resolve_side(
        arguments->dstMemoryType, arguments->dstHost, arguments->dstDevice, arguments->dstXInBytes, arguments->dstY,
        copy.target_pitch, *arguments, copy.target);
}

template <typename T>
CUresult resolve_set(
    const CUdeviceptr address, const size_t pitch, const size_t width, const size_t height, Location &location)
{
    const size_t row = width * sizeof(T);
    if (0 != address % sizeof(T) || (height > 1 && pitch < row))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    return 0 == row || 0 == height ? CUDA_SUCCESS : resolve_device(address, (height - 1) * pitch + row, location);
}

template <typename T>
void set(const Location &location, const size_t pitch, const T value, const size_t width, const size_t height)
{
    for (size_t row = 0; row < height; row++)
    {
        T *at = reinterpret_cast<T *>(location.memory + row * pitch);
        for (size_t i = 0; i < width; i++)
        {
            at[i] = value;
        }
    }
}

/* The host does not wait for memory to be set, unless it is host memory. */
template <typename T>
CUresult set_now(
    const CUdeviceptr address, const size_t pitch, const T value, const size_t width, const size_t height)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Location location;
    SIM_TRY(resolve_set<T>(address, pitch, width, height, location));
    if (0 == width || 0 == height)
    {
        return CUDA_SUCCESS;
    }

    const auto body = [=] { set(location, pitch, value, width, height); };
    if (location.host)
    {
        return context->perform(body);
    }

    context->enqueue(context->legacy_stream(), body);
    return CUDA_SUCCESS;
}

template <typename T>
CUresult set_on_stream(
    const CUdeviceptr address,
    const size_t pitch,
    const T value,
    const size_t width,
    const size_t height,
    const CUstream handle)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(handle, stream));
    Location location;
    SIM_TRY(resolve_set<T>(address, pitch, width, height, location));
    if (0 != width && 0 != height)
    {
        stream->context->enqueue(stream, [=] { set(location, pitch, value, width, height); });
    }

    return CUDA_SUCCESS;
}

}

SIM_API cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Location target;
    Location source;
    SIM_TRY(resolve_any(dst, ByteCount, target));
    SIM_TRY(resolve_any(src, ByteCount, source));
    return copy_now(context, plain(target, source, ByteCount));
}

SIM_API cuMemcpyPeer(
    CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == find_context(dstContext) || nullptr == find_context(srcContext))
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    return cuMemcpy(dstDevice, srcDevice, ByteCount);
}

SIM_API cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Location target;
    Location source;
    SIM_TRY(resolve_device(dstDevice, ByteCount, target));
    SIM_TRY(resolve_host(srcHost, ByteCount, source));
    return copy_now(context, plain(target, source, ByteCount));
}

SIM_API cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Location target;
    Location source;
    SIM_TRY(resolve_host(dstHost, ByteCount, target));
    SIM_TRY(resolve_device(srcDevice, ByteCount, source));
    return copy_now(context, plain(target, source, ByteCount));
}

SIM_API cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Location target;
    Location source;
    SIM_TRY(resolve_device(dstDevice, ByteCount, target));
    SIM_TRY(resolve_device(srcDevice, ByteCount, source));
    return copy_now(context, plain(target, source, ByteCount));
}

SIM_API cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    Location target;
    Location source;
    SIM_TRY(resolve_any(dst, ByteCount, target));
    SIM_TRY(resolve_any(src, ByteCount, source));
    return copy_on_stream(stream, plain(target, source, ByteCount));
}

SIM_API cuMemcpyPeerAsync(
    CUdeviceptr dstDevice,
    CUcontext dstContext,
    CUdeviceptr srcDevice,
    CUcontext srcContext,
    size_t ByteCount,
    CUstream hStream)
{
    SIM_TRY(enter());
    if (nullptr == find_context(dstContext) || nullptr == find_context(srcContext))
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    return cuMemcpyAsync(dstDevice, srcDevice, ByteCount, hStream);
}

SIM_API cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    Location target;
    Location source;
    SIM_TRY(resolve_device(dstDevice, ByteCount, target));
    SIM_TRY(resolve_host(srcHost, ByteCount, source));
    return copy_on_stream(stream, plain(target, source, ByteCount));
}

SIM_API cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    Location target;
    Location source;
    SIM_TRY(resolve_host(dstHost, ByteCount, target));
    SIM_TRY(resolve_device(srcDevice, ByteCount, source));
    return copy_on_stream(stream, plain(target, source, ByteCount));
}

SIM_API cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    Location target;
    Location source;
    SIM_TRY(resolve_device(dstDevice, ByteCount, target));
    SIM_TRY(resolve_device(srcDevice, ByteCount, source));
    return copy_on_stream(stream, plain(target, source, ByteCount));
}

SIM_API cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Copy copy;
    SIM_TRY(resolve_2d(pCopy, copy));
    return copy_now(context, copy);
}

SIM_API cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    return cuMemcpy2D_v2(pCopy);
}

SIM_API cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    std::shared_ptr<Stream> stream;
    SIM_TRY(enter(hStream, stream));
    Copy copy;
    SIM_TRY(resolve_2d(pCopy, copy));
    return copy_on_stream(stream, copy);
}

SIM_API cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return set_now<uint8_t>(dstDevice, N, uc, N, 1);
}

SIM_API cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return set_now<uint16_t>(dstDevice, N, us, N, 1);
}

SIM_API cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return set_now<uint32_t>(dstDevice, N, ui, N, 1);
}

SIM_API cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height)
{
    return set_now<uint8_t>(dstDevice, dstPitch, uc, Width, Height);
}

SIM_API cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height)
{
    return set_now<uint16_t>(dstDevice, dstPitch, us, Width, Height);
}

SIM_API cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height)
{
    return set_now<uint32_t>(dstDevice, dstPitch, ui, Width, Height);
}

SIM_API cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return set_on_stream<uint8_t>(dstDevice, N, uc, N, 1, hStream);
}

SIM_API cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return set_on_stream<uint16_t>(dstDevice, N, us, N, 1, hStream);
}

SIM_API cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return set_on_stream<uint32_t>(dstDevice, N, ui, N, 1, hStream);
}

SIM_API cuMemsetD2D8Async(
    CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height, CUstream hStream)
{
    return set_on_stream<uint8_t>(dstDevice, dstPitch, uc, Width, Height, hStream);
}

SIM_API cuMemsetD2D16Async(
    CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height, CUstream hStream)
{
    return set_on_stream<uint16_t>(dstDevice, dstPitch, us, Width, Height, hStream);
}

SIM_API cuMemsetD2D32Async(
    CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height, CUstream hStream)
{
    return set_on_stream<uint32_t>(dstDevice, dstPitch, ui, Width, Height, hStream);
}
