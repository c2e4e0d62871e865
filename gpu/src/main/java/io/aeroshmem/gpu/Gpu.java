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
package io.aeroshmem.gpu;

import io.aeroshmem.InitStatus;
import io.aeroshmem.MemoryKind;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.DeviceModule;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.List;
import java.util.function.Supplier;

/**
 * The CUDA device of a PE, with a symmetric heap in its memory. Buffers of this heap have {@link MemoryKind#DEVICE}.
 * Like any {@link SymmetricBuffer}, they can be operands of puts, gets, atomics, signals, waits, locks and collectives.
 * One call may have operands in device memory and in host memory.
 * <p>
 * {@link #init} attaches a GPU to the PE. The first {@link #malloc}, {@link #calloc}, {@link #align},
 * {@link Shmem#barrierAll()} or {@link Shmem#syncAll()} sets up the device and its heap, as the
 * {@linkplain io.aeroshmem.gpu package} specifies. Until then, all other methods except {@link #initStatus()},
 * {@link #initStatus(CUmodule)}, {@link #lastDeviceError()} and {@link #close()} throw IllegalStateException. All PEs
 * call close.
 * <p>
 * <b>Threads and ordering</b> are those of {@link Shmem}: an operation on device memory is complete at the point at
 * which the same operation on host memory would be.
 */
public final class Gpu implements AutoCloseable
{
    private final Shmem shmem;
    private final Context config;
    private final DeviceAttachment attachment;
    /** Null if CUDA cannot be used, and no device was asked for. */
    private final CudaDriver driver;
    private final GpuException unusable;
    /** Guarded by its own lock: a stream that is being closed leaves it while this GPU waits for that stream. */
    private final Long2ObjectHashMap<GpuStream> streams = new Long2ObjectHashMap<>();
    private StreamProxies proxies;
    private StreamErrors errors;
    private volatile DeviceSetup setup;
    private volatile boolean isClosed;

    /**
     * Attaches a GPU to a PE.
     *
     * @param cuda returns the driver, or throws GpuException if CUDA cannot be used.
     */
    Gpu(final Shmem shmem, final Context config, final Supplier<CudaDriver> cuda)
    {
        this.shmem = shmem;
        this.config = config;
        CudaDriver driver = null;
        GpuException unusable = null;
        try
        {
            driver = cuda.get();
        }
        catch (final GpuException ex)
        {
            if (Context.NO_DEVICE != config.device())
            {
                throw ex;
            }

            unusable = ex;
        }

        this.driver = driver;
        this.unusable = unusable;
        attachment = shmem.attach(new Module());
    }

    /**
     * Attaches a GPU to a PE, as configured by properties: the counterpart of the device part of {@code nvshmem_init}.
     *
     * @param shmem the PE.
     * @return the GPU, to be closed before the PE.
     * @see #init(Shmem, Context)
     */
    public static Gpu init(final Shmem shmem)
    {
        return init(shmem, new Context());
    }

    /**
     * Attaches a GPU to a PE: the counterpart of the device part of {@code nvshmemx_init_attr}. Local, except that it
     * completes a delayed set-up of the PE. All PEs of the job attach a GPU, or none.
     *
     * @param shmem  the PE.
     * @param config copied.
     * @return the GPU, to be closed before the PE.
     * @throws GpuException             if a device was asked for and CUDA cannot be used.
     * @throws IllegalArgumentException if an argument is null.
     * @throws IllegalStateException    if the PE has a GPU already, or is closed.
     */
    public static Gpu init(final Shmem shmem, final Context config)
    {
        return new Gpu(
            Arguments.notNull(shmem, "shmem"), Arguments.notNull(config, "config").clone(), JCudaBinding::load);
    }

    /**
     * Returns the state of the set-up: {@code nvshmemx_init_status}. While the GPU is open, {@link Shmem#initStatus()}
     * returns the same.
     *
     * @return {@link InitStatus#BOOTSTRAPPED} before the device part is set up and after {@link #close()};
     *     {@link InitStatus#INITIALIZED} with a device that no other PE of the host uses; {@link InitStatus#FULL_MPG}
     *     if PEs share it by MPS with shares of at most 100 % together; {@link InitStatus#LIMITED_MPG} if they share it
     *     otherwise.
     */
    public InitStatus initStatus()
    {
        final DeviceSetup setup = this.setup;
        return null == setup ? InitStatus.BOOTSTRAPPED : setup.status();
    }

    /**
     * Allocates in the device heap: {@code nvshmem_malloc}. Collective over the world, with a barrier on exit; sets up
     * the device part if necessary. 64-byte aligned.
     *
     * @param bytes 0 or more, equal on all PEs.
     * @return the buffer, null for 0 bytes. {@link Shmem#free} and {@link Shmem#realloc} take it.
     * @throws GpuException if the device part cannot be set up.
     */
    public SymmetricBuffer malloc(final long bytes)
    {
        require();
        return attachment.malloc(bytes);
    }

    /**
     * Allocates zeroed memory in the device heap: {@code nvshmem_calloc}. Otherwise as {@link #malloc}.
     *
     * @param count        of elements, equal on all PEs.
     * @param elementBytes of an element, equal on all PEs.
     * @return the buffer, null for 0 bytes.
     * @throws GpuException if the device part cannot be set up.
     */
    public SymmetricBuffer calloc(final long count, final long elementBytes)
    {
        require();
        return attachment.calloc(count, elementBytes);
    }

    /**
     * Allocates aligned memory in the device heap: {@code nvshmem_align}. Otherwise as {@link #malloc}. The alignment
     * is that of the offset in the heap, whose own address CUDA aligns to 256 bytes or more.
     *
     * @param alignment a power of two, 8 or more.
     * @param bytes     0 or more, equal on all PEs.
     * @return the buffer, null for 0 bytes.
     * @throws GpuException if the device part cannot be set up.
     */
    public SymmetricBuffer align(final long alignment, final long bytes)
    {
        require();
        return attachment.align(alignment, bytes);
    }

    /**
     * Returns the device of this PE.
     *
     * @return CUDA's handle.
     * @throws IllegalStateException if the device part is not set up.
     */
    public CUdevice device()
    {
        return JCudaHandles.deviceOf(setup().device().handle());
    }

    /** Returns the name of the device of this PE. */
    String deviceName()
    {
        return driver.deviceGetName(setup().device().handle());
    }

    /**
     * Returns the context of this PE.
     *
     * @return CUDA's handle.
     * @throws IllegalStateException if the device part is not set up.
     */
    public CUcontext cuContext()
    {
        return JCudaHandles.contextOf(setup().device().context());
    }

    /**
     * Returns the address by which kernels of this PE reach its own memory of a buffer. Invalid once the buffer is
     * freed or the GPU is closed.
     *
     * @param buffer of the device heap, or of a pinned host heap.
     * @return the address, null for memory of the host that is not pinned.
     * @throws IllegalStateException if the device part is not set up, or the buffer was freed.
     */
    public CUdeviceptr pointer(final SymmetricBuffer buffer)
    {
        return pointer(buffer, shmem.myPe());
    }

    /**
     * Returns the address by which kernels of this PE reach a PE's memory of a buffer: {@code nvshmem_ptr}. Invalid
     * once the buffer is freed or the GPU is closed.
     *
     * @param buffer of a device heap, or of pinned host heaps.
     * @param pe     of the world.
     * @return the address, null if kernels of this PE do not reach the memory.
     * @throws IllegalArgumentException if the PE is not of the world, or the buffer not of this PE.
     * @throws IllegalStateException    if the device part is not set up, or the buffer was freed.
     */
    public CUdeviceptr pointer(final SymmetricBuffer buffer, final int pe)
    {
        return JCudaHandles.pointerOf(address(buffer, pe));
    }

    /**
     * Returns the address of {@link #pointer(SymmetricBuffer, int)} as a number, for the parameters of a kernel.
     *
     * @param buffer of a device heap, or of pinned host heaps.
     * @param pe     of the world.
     * @return the address, 0 if kernels of this PE do not reach the memory.
     * @throws IllegalArgumentException if the PE is not of the world, or the buffer not of this PE.
     * @throws IllegalStateException    if the device part is not set up, or the buffer was freed.
     */
    public long address(final SymmetricBuffer buffer, final int pe)
    {
        final DeviceSetup setup = setup();
        checkPe(pe);
        final long offset = attachment.offset(buffer);
        final long base = MemoryKind.DEVICE == buffer.kind() ? setup.reachableAddress(pe) : setup.hostAddress(pe);
        return 0 == base ? 0 : base + offset;
    }

    private void checkPe(final int pe)
    {
        if (pe < 0 || pe >= shmem.nPes())
        {
            throw Arguments.mustBe("pe", "0 to " + (shmem.nPes() - 1), pe);
        }
    }

    /**
     * Returns how this PE reaches the device memory of a PE, and why so: calls on the host, streams and, unless
     * {@link Context#proxyAllPeers(boolean)} is set, kernels. The way is chosen when the device part is set up. If it
     * is not {@link DeviceReach.Way#ADDRESS} for a PE of the same machine, and the configuration of this PE does not
     * demand that, a warning is logged then. Local. No counterpart in NVSHMEM, where {@code nvshmem_ptr} returns null
     * without a reason.
     *
     * @param pe of the world.
     * @return the way and its reason.
     * @throws IllegalArgumentException if the PE is not of the world.
     * @throws IllegalStateException    if the device part is not set up.
     */
    public DeviceReach reach(final int pe)
    {
        final DeviceSetup setup = setup();
        checkPe(pe);
        return setup.reach(pe);
    }

    /**
     * Returns the operations in the order of a stream: the same object for the same stream, until that object or the
     * GPU is closed.
     *
     * @param stream of the context of this PE; null is the legacy default stream. The program destroys it only after
     *               the returned object or the GPU is closed.
     * @return its operations.
     * @throws IllegalStateException if the device part is not set up.
     */
    public synchronized GpuStream stream(final CUstream stream)
    {
        final DeviceSetup setup = setup();
        if (null == proxies)
        {
            final DeviceInterface kernels = setup.kernels();
            proxies = new StreamProxies(attachment, setup.device(), kernels.abort(), kernels.errors());
        }

        final long handle = JCudaHandles.handleOf(stream);
        synchronized (streams)
        {
            final GpuStream known = streams.get(handle);
            if (null != known)
            {
                return known;
            }
        }

        final GpuStream created = new GpuStream(shmem, attachment, setup, proxies, handle, () -> forget(handle));
        synchronized (streams)
        {
            streams.put(handle, created);
        }

        return created;
    }

    /** Returns the operations in the order of a new stream, to be destroyed. */
    GpuStream newStream()
    {
        final CudaDevice device = setup().device();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            return stream(JCudaHandles.with(new CUstream(), driver.streamCreate(CudaConstants.STREAM_NON_BLOCKING)));
        }
    }

    /** Closes a stream of {@link #newStream()}, and destroys it. */
    void destroy(final GpuStream stream)
    {
        stream.close();
        final CudaDevice device = setup().device();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            driver.streamDestroy(JCudaHandles.handleOf(stream.stream()));
        }
    }

    /**
     * Returns the last recorded error of the operations on streams and of the routines that kernels of this PE have
     * called. Kernels share one record: of several errors since the record was last read, only the first is known. This
     * call, {@link GpuStream#synchronize()} and {@link #close()} read the record. For a kernel, the message names the
     * routine, the error, the PE and the address. No counterpart in NVSHMEM, whose kernels do not check.
     *
     * @return the error, or null if there was none since the device part was set up.
     */
    public synchronized GpuException lastDeviceError()
    {
        return null == errors ? null : errors.last();
    }

    /**
     * Loads a module into the context of this PE, as {@code cuModuleLoadDataEx} does. Local. The program unloads it, by
     * {@code cuModuleUnload}. No counterpart in NVSHMEM. A module that the program has loaded by itself serves as well;
     * here the exception has the log of the driver's compiler of PTX.
     *
     * @param image PTX, a cubin or a fatbin, copied.
     * @return the module, not initialised.
     * @throws IllegalArgumentException if the image is null.
     * @throws IllegalStateException    if the device part is not set up.
     * @throws GpuException             if the driver rejects the image, for example PTX of an nvcc that is newer than
     *                                  the driver.
     * @see #initModule(CUmodule)
     */
    public CUmodule loadModule(final byte[] image)
    {
        Arguments.notNull(image, "image");
        final CudaDevice device = setup().device();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            return JCudaHandles.with(new CUmodule(), driver.moduleLoadData(Kernels.terminated(image)));
        }
    }

    /**
     * Prepares a module, whose kernels include {@code aeroshmem_device.cuh}, for calls of the device-side API by this
     * PE: {@code nvshmemx_cumodule_init}. Local; before the first launch of such a kernel. Each PE of a process loads a
     * module of its own. From now on the PE performs requests of kernels, in blocked calls, {@link Shmem#progress()}
     * and, in agent mode, in the background.
     *
     * @param module of the context of this PE: of PTX, a cubin or a fatbin.
     * @throws IllegalArgumentException if the module is null or was not compiled with the header of this version.
     * @throws IllegalStateException    if the device part is not set up, or the module is initialised.
     * @throws GpuException             if CUDA reports an error.
     */
    public void initModule(final CUmodule module)
    {
        final DeviceInterface kernels = setup().kernels();
        kernels.modules().init(module);
        kernels.serve();
    }

    /**
     * Ends the use of the device-side API by a module: {@code nvshmemx_cumodule_finalize}. Local; after the last kernel
     * of the module that calls it, before the module is unloaded and before {@link #close()}.
     *
     * @param module that this PE has initialised.
     * @throws IllegalArgumentException if the module is null or has no state.
     * @throws IllegalStateException    if the GPU is closed, or the module is not initialised by this PE.
     * @throws GpuException             if CUDA reports an error.
     */
    public void finalizeModule(final CUmodule module)
    {
        setup().kernels().modules().end(module);
    }

    /**
     * Returns the state of the set-up of a module: {@code nvshmemx_init_status} in a kernel of it.
     *
     * @param module whose kernels include {@code aeroshmem_device.cuh}.
     * @return that of {@link #initStatus()} if this PE has initialised the module, else
     *     {@link InitStatus#NOT_INITIALIZED}.
     * @throws IllegalArgumentException if the module is null or was not compiled with the header of this version.
     * @throws GpuException             if CUDA reports an error.
     */
    public InitStatus initStatus(final CUmodule module)
    {
        Arguments.notNull(module, "module");
        final DeviceSetup setup = this.setup;
        return null == setup ? InitStatus.NOT_INITIALIZED : setup.kernels().modules().status(module, setup.status());
    }

    /**
     * Returns the handle by which kernels name a team, for their parameters: the counterpart of {@code nvshmem_team_t}.
     * The first call for a team is collective over the team, except that calls for predefined teams are local. The
     * members make their first calls for all teams in the same order. The handle is valid until the team is closed. A
     * PE has at most 32, of them 4 of predefined teams: 0 of the world, 1 SHARED, 2 NODE, 3 SAME_MYPE_NODE.
     *
     * @param team of this PE, or {@link Team#INVALID}.
     * @return 0 or more; -1 for the invalid team, which routines take and report as an error.
     * @throws ShmemException           if no handle is free on all members.
     * @throws IllegalArgumentException if the team is null, or of another PE.
     * @throws IllegalStateException    if the team is closed, or the device part is not set up.
     */
    public int handle(final Team team)
    {
        return setup().kernels().teams().handle(Arguments.notNull(team, "team"));
    }

    /**
     * Launches a kernel whose blocks all run at the same time, so that they may wait for one another and for kernels of
     * other PEs: {@code nvshmemx_collective_launch}. Local; whether kernels of several PEs run at the same time depends
     * on the device: see {@link InitStatus#LIMITED_MPG}. Does not wait for the kernel.
     *
     * @param f           of a module of this PE's context.
     * @param gridX       blocks; the product of the three is at most {@link #collectiveLaunchMaxBlocks}.
     * @param gridY       blocks.
     * @param gridZ       blocks.
     * @param blockX      threads of a block.
     * @param blockY      threads of a block.
     * @param blockZ      threads of a block.
     * @param sharedBytes dynamic shared memory of a block.
     * @param stream      null is the legacy default stream.
     * @param params      pointer to the pointers to the parameters, as {@code cuLaunchKernel} takes it.
     * @throws IllegalArgumentException if the function is null, or a dimension is not positive.
     * @throws IllegalStateException    if the device part is not set up.
     * @throws GpuException             if CUDA reports an error, such as too many blocks.
     */
    public void collectiveLaunch(
        final CUfunction f,
        final int gridX,
        final int gridY,
        final int gridZ,
        final int blockX,
        final int blockY,
        final int blockZ,
        final int sharedBytes,
        final CUstream stream,
        final Pointer params)
    {
        Arguments.notNull(f, "f");
        checkDimension("grid", gridX, gridY, gridZ);
        checkDimension("block", blockX, blockY, blockZ);
        Arguments.notNegative(sharedBytes, "sharedBytes");
        final CudaDevice device = setup().device();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            driver.launchCooperativeKernel(
                JCudaHandles.handleOf(f),
                gridX,
                gridY,
                gridZ,
                blockX,
                blockY,
                blockZ,
                sharedBytes,
                JCudaHandles.handleOf(stream),
                params);
        }
    }

    private static void checkDimension(final String name, final int x, final int y, final int z)
    {
        if (x <= 0 || y <= 0 || z <= 0)
        {
            throw Arguments.mustBe(name, "> 0 in each dimension", x + " x " + y + " x " + z);
        }
    }

    /**
     * Returns how many blocks of a kernel run at the same time on this PE's device:
     * {@code nvshmemx_collective_launch_query_gridsize}.
     *
     * @param f            of a module of this PE's context.
     * @param blockThreads threads of a block, 1 or more.
     * @param sharedBytes  dynamic shared memory of a block, 0 or more.
     * @return blocks in total, 0 if a block does not fit.
     * @throws IllegalArgumentException if an argument is null or out of range.
     * @throws IllegalStateException    if the device part is not set up.
     * @throws GpuException             if CUDA reports an error.
     */
    public int collectiveLaunchMaxBlocks(final CUfunction f, final int blockThreads, final int sharedBytes)
    {
        Arguments.notNull(f, "f");
        if (blockThreads <= 0)
        {
            throw Arguments.mustBe("blockThreads", "> 0", blockThreads);
        }

        Arguments.notNegative(sharedBytes, "sharedBytes");
        final CudaDevice device = setup().device();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            return driver.occupancyMaxActiveBlocksPerMultiprocessor(
                JCudaHandles.handleOf(f), blockThreads, sharedBytes) *
                driver.deviceGetAttribute(CudaConstants.MULTIPROCESSOR_COUNT, device.handle());
        }
    }

    private void forget(final long stream)
    {
        synchronized (streams)
        {
            streams.remove(stream);
        }
    }

    private List<GpuStream> openStreams()
    {
        synchronized (streams)
        {
            return List.copyOf(streams.values());
        }
    }

    private void require()
    {
        complete();
        if (null == setup)
        {
            throw null != unusable ? unusable : new GpuException(
                "no PE has a device: set aeroshmem.gpu.device, or make a CUDA context current on the thread that" +
                " calls", null);
        }
    }

    private DeviceSetup setup()
    {
        checkOpen();
        final DeviceSetup setup = this.setup;
        if (null == setup)
        {
            throw new IllegalStateException("the device of PE " + shmem.myPe() +
                " is not set up: gpu.malloc, calloc, align, barrierAll or syncAll does so, on all PEs");
        }

        return setup;
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the GPU of PE " + shmem.myPe() + " is closed");
        }
    }

    /** Sets up the device part, unless no PE has a device. Collective. */
    private synchronized void complete()
    {
        checkOpen();
        if (null != setup)
        {
            return;
        }

        attachment.awaitDeferred();
        // PEs of one process register the same memory, which the release of an earlier GPU of any of them unregisters.
        shmem.world().sync();
        final LocalDevice own = new LocalDevice(driver, config, attachment.endpoint());
        boolean isComplete = false;
        try
        {
            if (DeviceRecord.NONE != shmem.world().reduceLong(ReduceOp.MAX, own.record().state()))
            {
                final DeviceSetup complete = DeviceSetup.perform(shmem, attachment, config, own);
                errors = complete.kernels().errors();
                setup = complete;
                isComplete = true;
            }
        }
        finally
        {
            if (!isComplete)
            {
                own.close();
            }
        }
    }

    /**
     * Closes the GPU: the device part of {@code nvshmem_finalize}. Called by all PEs; waits for what is enqueued on
     * the streams of {@link #stream}, but not for other PEs. Buffers of the device heap, and pointers
     * to it, are invalid afterwards. The device's resources are released when all PEs have closed their GPU, and before
     * this PE sets up another one or is closed. What fails, modules that were not ended, and, if
     * {@link Shmem.Context#checkCollectives(boolean) checks} are requested, allocations that were not freed, are
     * reported to the error handler. The second close has no effect. After a failure of the job everything is released
     * at once.
     */
    @Override
    public synchronized void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        final DeviceSetup setup = this.setup;
        this.setup = null;
        if (null != setup && !attachment.endpoint().isFailed() && !shmem.isClosed())
        {
            final ErrorHandler errorHandler = attachment.errorHandler();
            CloseHelper.closeAll(errorHandler, openStreams());
            CloseHelper.closeAll(
                errorHandler,
                proxies,
                setup.kernels()::endService,
                () -> attachment.endpoint().quietAll("Gpu.close"),
                () -> warn(setup.kernels().modules().count()),
                attachment::closeHeap,
                () -> setup.close(errorHandler));
        }
        else if (null != setup)
        {
            abandon(setup);
        }

        attachment.detach();
    }

    /** Releases what this PE has, when others may be gone: whatever waits for them on a stream ends. */
    private void abandon(final DeviceSetup setup)
    {
        final ErrorHandler errorHandler = attachment.errorHandler();
        setup.kernels().abandon();
        CloseHelper.closeAll(errorHandler, openStreams());
        CloseHelper.closeAll(
            errorHandler,
            proxies,
            setup.kernels().abort(),
            setup.kernels().errors()::endKernels,
            attachment::closeHeap,
            () -> setup.abandon(errorHandler));
    }

    private void warn(final int modules)
    {
        if (modules > 0)
        {
            attachment.errorHandler().onError(new GpuException("PE " + shmem.myPe() + " has closed its GPU with " +
                modules + " modules that finalizeModule has not ended", null));
        }
    }

    @Override
    public String toString()
    {
        return "Gpu{PE " + shmem.myPe() + ", " + (isClosed ? "closed" : initStatus()) + "}";
    }

    private final class Module implements DeviceModule
    {
        @Override
        public InitStatus initStatus()
        {
            return Gpu.this.initStatus();
        }

        @Override
        public void complete()
        {
            Gpu.this.complete();
        }

        @Override
        public void onClose()
        {
            final DeviceSetup setup = Gpu.this.setup;
            if (null != setup)
            {
                abandon(setup);
                Gpu.this.setup = null;
            }

            isClosed = true;
        }
    }

    /**
     * Configuration of a GPU. A new context has the values of the properties {@code aeroshmem.gpu.…}; setters override
     * them. Fluent; every setter has a getter of the same name.
     */
    public static final class Context implements Cloneable
    {
        static final int NO_DEVICE = -1;

        private int device = deviceOfProperty();
        private long heapSize = ShmemProperty.GPU_HEAP_SIZE.longValue();
        private boolean pinHostHeap = ShmemProperty.GPU_PIN.booleanValue();
        private boolean shareDeviceHeap = ShmemProperty.GPU_IPC.booleanValue();
        private String kernels = ShmemProperty.GPU_KERNELS.text();
        private int proxyRingCapacity = (int)ShmemProperty.GPU_RING.longValue();
        private boolean proxyAllPeers = ShmemProperty.GPU_PROXY.booleanValue();

        /** Constructs a context with the values of the properties. */
        public Context()
        {
        }

        private static int deviceOfProperty()
        {
            final String text = ShmemProperty.GPU_DEVICE.text();
            try
            {
                return null == text ? NO_DEVICE : checkDevice(Integer.parseInt(text));
            }
            catch (final NumberFormatException ex)
            {
                throw Arguments.mustBe(ShmemProperty.GPU_DEVICE.propertyName(), "a number >= 0", text);
            }
        }

        private static int checkDevice(final int value)
        {
            if (value < 0)
            {
                throw Arguments.mustBe("device", ">= 0", value);
            }

            return value;
        }

        /**
         * Sets the number of the device. Property {@code aeroshmem.gpu.device}; by default the device of the current
         * context.
         *
         * @param value 0 or more, as {@code cuDeviceGet} takes it.
         * @return this.
         */
        public Context device(final int value)
        {
            device = checkDevice(value);
            return this;
        }

        /**
         * Returns the number of the device.
         *
         * @return the number, -1 if none is set.
         */
        public int device()
        {
            return device;
        }

        /**
         * Sets the size of the device heap, equal on all PEs. Property {@code aeroshmem.gpu.heap.size}; 64 MiB by
         * default.
         *
         * @param value in bytes, 4096 or more.
         * @return this.
         */
        public Context heapSize(final long value)
        {
            heapSize = ShmemProperty.GPU_HEAP_SIZE.check(value);
            return this;
        }

        /**
         * Returns the size of the device heap.
         *
         * @return in bytes.
         */
        public long heapSize()
        {
            return heapSize;
        }

        /**
         * Sets whether mapped host heaps are registered with CUDA, so that copies are fast and kernels reach them.
         * Property {@code aeroshmem.gpu.pin}; true by default.
         *
         * @param value whether to register them.
         * @return this.
         */
        public Context pinHostHeap(final boolean value)
        {
            pinHostHeap = value;
            return this;
        }

        /**
         * Returns whether mapped host heaps are registered with CUDA.
         *
         * @return whether they are.
         */
        public boolean pinHostHeap()
        {
            return pinHostHeap;
        }

        /**
         * Sets whether processes of a node map each other's device heaps by CUDA IPC. Otherwise the PE that owns a
         * device heap performs the operations on it. Property {@code aeroshmem.gpu.ipc}; true by default.
         *
         * @param value whether to map them.
         * @return this.
         */
        public Context shareDeviceHeap(final boolean value)
        {
            shareDeviceHeap = value;
            return this;
        }

        /**
         * Returns whether processes of a node map each other's device heaps by CUDA IPC.
         *
         * @return whether they do.
         */
        public boolean shareDeviceHeap()
        {
            return shareDeviceHeap;
        }

        /**
         * Sets a file with the kernels of the library, which the driver need not compile: a cubin or a fatbin, made
         * from the PTX of the jar of this version. If the driver rejects the file, such as a cubin for another device,
         * a warning is logged and the PTX is loaded. Property {@code aeroshmem.gpu.kernels}; by default null, the PTX.
         *
         * @param value path of the file, or null.
         * @return this.
         */
        public Context kernels(final String value)
        {
            kernels = value;
            return this;
        }

        /**
         * Returns the file with the kernels of the library.
         *
         * @return its path, or null for the PTX of the jar.
         */
        public String kernels()
        {
            return kernels;
        }

        /**
         * Sets how many requests of kernels may await the host at a time. A kernel that makes more waits. Property
         * {@code aeroshmem.gpu.ring}; 1024 by default.
         *
         * @param value a power of two, 64 to 2^20.
         * @return this.
         */
        public Context proxyRingCapacity(final int value)
        {
            proxyRingCapacity = (int)ShmemProperty.GPU_RING.check(value);
            return this;
        }

        /**
         * Returns how many requests of kernels may await the host at a time.
         *
         * @return a power of two.
         */
        public int proxyRingCapacity()
        {
            return proxyRingCapacity;
        }

        /**
         * Sets whether kernels that call the device-side API reach all other PEs by requests to the host, and never by
         * address. Property {@code aeroshmem.gpu.proxy}; false by default, for troubleshooting.
         *
         * @param value whether to use requests only.
         * @return this.
         */
        public Context proxyAllPeers(final boolean value)
        {
            proxyAllPeers = value;
            return this;
        }

        /**
         * Returns whether kernels reach all other PEs by requests to the host.
         *
         * @return whether they do.
         */
        public boolean proxyAllPeers()
        {
            return proxyAllPeers;
        }

        /**
         * Returns a copy.
         *
         * @return with the same values.
         */
        @Override
        public Context clone()
        {
            try
            {
                return (Context)super.clone();
            }
            catch (final CloneNotSupportedException ex)
            {
                throw new IllegalStateException(ex);
            }
        }
    }
}
