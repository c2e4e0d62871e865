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
import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.aeroshmem.gpu.DeviceStateDescriptor.*;
import static io.aeroshmem.gpu.sim.SimulatedDriver.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The life cycle of modules, what their state says, handles of teams, and errors of kernels. */
@Tag("kernels")
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceModulesTest
{
    private static final String KERNELS = "/io/aeroshmem/gpu/sim/simulation_test_kernels.ptx";
    private static final String HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n";
    private static final String FAULT = ".visible .global .align 8 .u64 aeroshmem_device_fault;\n";
    private static final int NPES = 2;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private interface Task
    {
        void run(Shmem shmem, Gpu gpu) throws Exception;
    }

    private static void run(final int nPes, final Gpu.Context config, final Task task) throws Exception
    {
        run(nPes, TransportKind.MAPPED, config, task);
    }

    private static void run(
        final int nPes, final TransportKind transport, final Gpu.Context config, final Task task) throws Exception
    {
        final Shmem.Context template = new Shmem.Context()
            .heapSize(32 << 20)
            .transport(transport)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(nPes, template, (shmem) ->
        {
            try (Gpu gpu = Gpu.init(shmem, config.clone().device(0).heapSize(1 << 20)))
            {
                shmem.syncAll();
                task.run(shmem, gpu);
            }
        });
    }

    private static void run(final Task task) throws Exception
    {
        run(NPES, new Gpu.Context(), task);
    }

    private static String state(final int length)
    {
        return ".visible .const .align 8 .b8 aeroshmem_device_state[" + length + "];\n";
    }

    private static CUmodule load(final Gpu gpu, final String text)
    {
        final CUmodule module = new CUmodule();
        enter(gpu, () -> check(JCudaDriver.cuModuleLoadData(
            module, (text + "\0").getBytes(StandardCharsets.UTF_8))));
        return module;
    }

    private static CUmodule load(final Gpu gpu)
    {
        return load(gpu, HEAD + state(STATE_LENGTH) + FAULT);
    }

    private static void unload(final Gpu gpu, final CUmodule module)
    {
        enter(gpu, () -> check(JCudaDriver.cuModuleUnload(module)));
    }

    private static void enter(final Gpu gpu, final Runnable calls)
    {
        check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
        try
        {
            calls.run();
        }
        finally
        {
            check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
        }
    }

    private static CUdeviceptr variable(final CUmodule module, final String name)
    {
        final CUdeviceptr address = new CUdeviceptr();
        check(JCudaDriver.cuModuleGetGlobal(address, new long[1], module, name));
        return address;
    }

    private static UnsafeBuffer read(final Gpu gpu, final CUmodule module)
    {
        final ByteBuffer bytes = TestDevice.buffer(STATE_LENGTH);
        enter(gpu, () -> check(JCudaDriver.cuMemcpyDtoH(
            Pointer.to(bytes), variable(module, STATE_VARIABLE), STATE_LENGTH)));
        return new UnsafeBuffer(bytes);
    }

    private static UnsafeBuffer read(final Gpu gpu, final long address, final int length)
    {
        final ByteBuffer bytes = TestDevice.buffer(length);
        enter(gpu, () -> check(JCudaDriver.cuMemcpyDtoH(
            Pointer.to(bytes), JCudaHandles.pointerOf(address), length)));
        return new UnsafeBuffer(bytes);
    }

    private static void write(final Gpu gpu, final CUdeviceptr address, final long value)
    {
        enter(gpu, () -> check(JCudaDriver.cuMemcpyHtoD(address, Pointer.to(new long[]{value}), Long.BYTES)));
    }

    @Test
    void shouldInitialiseAndFinaliseModules() throws Exception
    {
        run((shmem, gpu) ->
        {
            final CUmodule module = load(gpu);
            final CUmodule other = load(gpu);
            assertEquals(InitStatus.NOT_INITIALIZED, gpu.initStatus(module));
            for (int i = 0; i < 2; i++)
            {
                gpu.initModule(module);
                assertEquals(gpu.initStatus(), gpu.initStatus(module));
                assertEquals(InitStatus.NOT_INITIALIZED, gpu.initStatus(other));
                final IllegalStateException ex =
                    assertThrows(IllegalStateException.class, () -> gpu.initModule(module));
                assertTrue(ex.getMessage().contains("by PE " + shmem.myPe()), ex.getMessage());
                gpu.finalizeModule(module);
                assertEquals(InitStatus.NOT_INITIALIZED, gpu.initStatus(module));
                assertThrows(IllegalStateException.class, () -> gpu.finalizeModule(module));
                assertEquals(0, read(gpu, module).getLong(VERSION_OFFSET));
            }

            assertNull(gpu.lastDeviceError());
            unload(gpu, module);
            unload(gpu, other);
        });
    }

    @Test
    void shouldRejectModulesOfOtherPesAndHeaders() throws Exception
    {
        final List<CUmodule> modules = Collections.synchronizedList(new ArrayList<>(List.of(new CUmodule())));
        run((shmem, gpu) ->
        {
            if (0 == shmem.myPe())
            {
                modules.set(0, load(gpu));
                gpu.initModule(modules.get(0));
            }

            shmem.barrierAll();
            if (1 == shmem.myPe())
            {
                final CUmodule module = modules.get(0);
                final IllegalStateException ex =
                    assertThrows(IllegalStateException.class, () -> gpu.initModule(module));
                assertTrue(ex.getMessage().contains("by PE 0"), ex.getMessage());
                assertThrows(IllegalStateException.class, () -> gpu.finalizeModule(module));
                assertEquals(InitStatus.NOT_INITIALIZED, gpu.initStatus(module));
                assertThrows(IllegalArgumentException.class, () -> gpu.initModule(null));
                assertThrows(IllegalArgumentException.class, () -> gpu.initStatus(null));

                assertRejected(gpu, HEAD + FAULT, "no variable aeroshmem_device_state");
                assertRejected(gpu, HEAD + state(STATE_LENGTH - 8) + FAULT, "has 248 bytes, not 256");
                final CUmodule newer = load(gpu);
                final CUdeviceptr[] version = new CUdeviceptr[1];
                enter(gpu, () -> version[0] = variable(newer, STATE_VARIABLE));
                write(gpu, version[0], 2);
                final Exception rejection =
                    assertThrows(IllegalArgumentException.class, () -> gpu.initModule(newer));
                assertTrue(rejection.getMessage().contains("has version 2, not 1"), rejection.getMessage());
                unload(gpu, newer);
            }

            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                gpu.finalizeModule(modules.get(0));
                unload(gpu, modules.get(0));
            }
        });
    }

    private static void assertRejected(final Gpu gpu, final String text, final String reason)
    {
        final CUmodule module = load(gpu, text);
        final Exception ex = assertThrows(IllegalArgumentException.class, () -> gpu.initModule(module));
        assertTrue(ex.getMessage().contains(reason), ex.getMessage());
        unload(gpu, module);
    }

    @Test
    void shouldRejectCallsBeforeTheSetUpAndAfterClose() throws Exception
    {
        final List<Throwable> reports = Collections.synchronizedList(new ArrayList<>());
        final Shmem.Context template = new Shmem.Context().heapSize(1 << 20).errorHandler(reports::add);
        Shmem.runLocal(NPES, template, (shmem) ->
        {
            final Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20));
            final CUmodule module = new CUmodule();
            assertThrows(IllegalStateException.class, () -> gpu.initModule(module));
            assertThrows(IllegalStateException.class, () -> gpu.finalizeModule(module));
            assertThrows(IllegalStateException.class, () -> gpu.handle(shmem.world()));
            assertThrows(IllegalStateException.class, () -> gpu.collectiveLaunchMaxBlocks(new CUfunction(), 1, 0));
            assertEquals(InitStatus.NOT_INITIALIZED, gpu.initStatus(module));
            shmem.syncAll();
            final CUmodule loaded = load(gpu);
            gpu.initModule(loaded);
            gpu.close();
            assertThrows(IllegalStateException.class, () -> gpu.initModule(loaded));
            assertThrows(IllegalStateException.class, () -> gpu.finalizeModule(loaded));
            assertThrows(IllegalStateException.class, () -> gpu.handle(shmem.world()));
            assertEquals(InitStatus.NOT_INITIALIZED, gpu.initStatus(loaded));
        });
        assertEquals(NPES, reports.size(), reports::toString);
        assertTrue(reports.get(0).getMessage().contains("1 modules that finalizeModule has not ended"));
    }

    @ParameterizedTest
    @CsvSource({"MAPPED,true,false", "MAPPED,true,true", "MAPPED,false,false", "IPC,true,false", "IPC,false,true"})
    void shouldDescribeTheHeapsOfAllPes(
        final TransportKind transport, final boolean isPinned, final boolean isProxy) throws Exception
    {
        final Gpu.Context config = new Gpu.Context().pinHostHeap(isPinned).proxyAllPeers(isProxy)
            .proxyRingCapacity(128);
        run(NPES, transport, config, (shmem, gpu) ->
        {
            final CUmodule module = load(gpu);
            gpu.initModule(module);
            final UnsafeBuffer state = read(gpu, module);
            final SymmetricBuffer device = gpu.malloc(64);
            final SymmetricBuffer host = shmem.malloc(64);
            final int me = shmem.myPe();
            final boolean isMapped = TransportKind.MAPPED == transport;
            assertEquals(ABI_VERSION, state.getLong(VERSION_OFFSET));
            assertEquals(me, state.getInt(MY_PE_OFFSET));
            assertEquals(NPES, state.getInt(N_PES_OFFSET));
            assertEquals(128, state.getLong(RING_CAPACITY_OFFSET));
            assertTrue(state.getLong(DEVICE_LENGTH_OFFSET) >= (1 << 20) + TeamAreas.length(NPES));
            assertEquals(isPinned ? 32 << 20 : 0, state.getLong(HOST_LENGTH_OFFSET));
            assertEquals(isPinned || isProxy || !isMapped ? FLAG_PROXY : 0, state.getLong(FLAGS_OFFSET));

            final UnsafeBuffer peers = read(gpu, state.getLong(PEERS_OFFSET), NPES * PEER_LENGTH);
            final long deviceOffset = gpu.address(device, me) - state.getLong(DEVICE_HEAP_OFFSET);
            for (int pe = 0; pe < NPES; pe++)
            {
                final boolean isReached = pe == me || isMapped && !isProxy;
                final long deviceBase = peers.getLong(pe * PEER_LENGTH + PEER_DEVICE_BASE_OFFSET);
                final long hostBase = peers.getLong(pe * PEER_LENGTH + PEER_HOST_BASE_OFFSET);
                assertEquals(isReached ? gpu.address(device, pe) - deviceOffset : 0, deviceBase);
                assertEquals(isReached && isPinned, 0 != hostBase);
                if (0 != hostBase)
                {
                    assertEquals(
                        gpu.address(host, pe) - gpu.address(host, me), hostBase - state.getLong(HOST_HEAP_OFFSET));
                }
            }

            final UnsafeBuffer team = read(gpu, state.getLong(TEAMS_OFFSET), TEAM_LENGTH);
            final boolean isHostArea = isPinned && (!isMapped || isProxy);
            assertEquals(1, team.getInt(TEAM_VALID_OFFSET));
            assertEquals(me, team.getInt(TEAM_MY_RANK_OFFSET));
            assertEquals(NPES, team.getInt(TEAM_SIZE_OFFSET));
            assertEquals(isHostArea ? REGION_HOST : REGION_DEVICE, team.getInt(TEAM_REGION_OFFSET));
            assertEquals(1L << STAMP_SHIFT, team.getLong(TEAM_STAMP_BASE_OFFSET));
            final UnsafeBuffer members = read(gpu, team.getLong(TEAM_MEMBERS_OFFSET), NPES * Integer.BYTES);
            assertEquals(0, members.getInt(0));
            assertEquals(1, members.getInt(4));
            final long area = team.getLong(TEAM_AREA_OFFSET);
            final long limit = state.getLong(isHostArea ? HOST_LENGTH_OFFSET : DEVICE_LENGTH_OFFSET);
            assertTrue(area >= 0 && area + TeamAreas.length(NPES) <= limit);
            final long base = state.getLong(isHostArea ? HOST_HEAP_OFFSET : DEVICE_HEAP_OFFSET);
            final UnsafeBuffer areas = read(gpu, base + area, (int)TeamAreas.length(NPES));
            for (int i = 0; i < areas.capacity(); i += Long.BYTES)
            {
                assertEquals(0, areas.getLong(i));
            }

            gpu.finalizeModule(module);
            unload(gpu, module);
            shmem.free(device);
        });
    }

    @Test
    void shouldAgreeOnHandlesOfTeams() throws Exception
    {
        run(4, new Gpu.Context(), (shmem, gpu) ->
        {
            for (final PredefinedTeam which : PredefinedTeam.values())
            {
                assertEquals(which.ordinal(), gpu.handle(shmem.team(which)));
            }

            assertEquals(-1, gpu.handle(Team.INVALID));
            assertThrows(IllegalArgumentException.class, () -> gpu.handle(null));

            final CUmodule module = load(gpu);
            gpu.initModule(module);
            final long teams = read(gpu, module).getLong(TEAMS_OFFSET);
            // PEs 1 and 3 enter a team of their own first, so that the slots that are free differ
            final Team odd = shmem.world().splitStrided(1, 2, 2);
            if (Team.INVALID != odd)
            {
                assertEquals(4, gpu.handle(odd));
            }

            final Team high = shmem.world().splitStrided(2, 1, 2);
            if (Team.INVALID != high)
            {
                assertEquals(5, gpu.handle(high));
                assertEquals(5, gpu.handle(high));
                final UnsafeBuffer entry = read(gpu, teams + 5 * TEAM_LENGTH, TEAM_LENGTH);
                final UnsafeBuffer members = read(gpu, entry.getLong(TEAM_MEMBERS_OFFSET), 2 * Integer.BYTES);
                assertEquals(high.myPe(), entry.getInt(TEAM_MY_RANK_OFFSET));
                assertEquals(2, members.getInt(0));
                assertEquals(3, members.getInt(4));
                assertEquals(1L << STAMP_SHIFT, entry.getLong(TEAM_STAMP_BASE_OFFSET));
            }

            high.close();
            if (Team.INVALID != high)
            {
                assertThrows(IllegalStateException.class, () -> gpu.handle(high));
            }

            final Team again = shmem.world().splitStrided(0, 1, 4);
            assertEquals(5, gpu.handle(again));
            final UnsafeBuffer entry = read(gpu, teams + 5 * TEAM_LENGTH, TEAM_LENGTH);
            assertEquals(4, entry.getInt(TEAM_SIZE_OFFSET));
            // above what PEs 2 and 3 have used there
            assertEquals(2L << STAMP_SHIFT, entry.getLong(TEAM_STAMP_BASE_OFFSET));
            gpu.finalizeModule(module);
            unload(gpu, module);
        });
    }

    @Test
    void shouldReportThatNoHandleIsFree() throws Exception
    {
        run((shmem, gpu) ->
        {
            final List<Team> teams = new ArrayList<>();
            for (int i = PredefinedTeam.values().length; i < MAX_TEAMS; i++)
            {
                teams.add(shmem.world().duplicate());
                assertEquals(i, gpu.handle(teams.get(teams.size() - 1)));
            }

            final Team last = shmem.world().duplicate();
            final Exception ex = assertThrows(ShmemException.class, () -> gpu.handle(last));
            assertTrue(ex.getMessage().contains("a PE has 32 handles"), ex.getMessage());
            teams.get(10).close();
            assertEquals(14, gpu.handle(last));
        });
    }

    @Test
    void shouldTakeErrorsOfKernels() throws Exception
    {
        run((shmem, gpu) ->
        {
            final CUmodule module = load(gpu);
            gpu.initModule(module);
            final UnsafeBuffer state = read(gpu, module);
            final CUdeviceptr claim = JCudaHandles.pointerOf(state.getLong(ERROR_CLAIM_OFFSET));
            assertNull(gpu.lastDeviceError());
            record(gpu, state, 2, 1, 17);
            write(gpu, claim, 1);
            final GpuException error = gpu.lastDeviceError();
            assertEquals("a kernel of PE " + shmem.myPe() + " called put: pe must be one of the world or the team:" +
                " pe=17, address=0x1000, value=-3", error.getMessage());
            assertEquals(0, read(gpu, state.getLong(ERROR_CLAIM_OFFSET), Long.BYTES).getLong(0));
            assertSame(error, gpu.lastDeviceError());
            record(gpu, state, 99, 98, -1);
            final GpuException unknown = gpu.lastDeviceError();
            assertTrue(unknown.getMessage().contains("called routine 98: error 99"), unknown.getMessage());

            record(gpu, state, 6, 16, 1);
            final GpuException thrown = assertThrows(GpuException.class, () -> gpu.stream(null).synchronize());
            assertSame(error, thrown);
            assertTrue(gpu.lastDeviceError().getMessage().contains("called barrier: the wait ended"));
            gpu.finalizeModule(module);

            final CUdeviceptr[] fault = new CUdeviceptr[1];
            enter(gpu, () -> fault[0] = variable(module, FAULT_VARIABLE));
            write(gpu, fault[0], 1);
            gpu.initModule(module);
            assertTrue(gpu.lastDeviceError().getMessage().contains("Gpu.initModule comes first"));
            gpu.finalizeModule(module);
            unload(gpu, module);
        });
    }

    /** Does what a kernel does that finds an error. */
    private static void record(
        final Gpu gpu, final UnsafeBuffer state, final int code, final int routine, final long pe)
    {
        final UnsafeBuffer record = new UnsafeBuffer(TestDevice.buffer(ERROR_LENGTH));
        record.putInt(ERROR_CODE_OFFSET, code);
        record.putInt(ERROR_ROUTINE_OFFSET, routine);
        record.putLong(ERROR_PE_OFFSET, pe);
        record.putLong(ERROR_ADDRESS_OFFSET, 0x1000);
        record.putLong(ERROR_VALUE_OFFSET, -3);
        record.putLong(ERROR_STATE_OFFSET, 1);
        final CUdeviceptr address = JCudaHandles.pointerOf(state.getLong(ERROR_OFFSET));
        enter(gpu, () -> check(JCudaDriver.cuMemcpyHtoD(
            address, Pointer.to(record.byteBuffer()), ERROR_LENGTH)));
    }

    @Test
    void shouldLaunchBlocksThatWaitForOneAnother() throws Exception
    {
        run(1, new Gpu.Context(), (shmem, gpu) ->
        {
            final CUmodule module;
            try (InputStream kernels = DeviceModulesTest.class.getResourceAsStream(KERNELS))
            {
                assertNotNull(kernels);
                module = load(gpu, new String(kernels.readAllBytes(), StandardCharsets.UTF_8));
            }

            final CUfunction function = new CUfunction();
            check(JCudaDriver.cuModuleGetFunction(function, module, "sim_test_grid_barrier"));
            final int blocks = gpu.collectiveLaunchMaxBlocks(function, 32, 0);
            assertTrue(blocks > 1);
            final SymmetricBuffer words = gpu.calloc(2, Integer.BYTES);
            final long arrived = gpu.address(words, 0);
            final Pointer params = Pointer.to(
                Pointer.to(new long[]{arrived}), Pointer.to(new long[]{arrived + Integer.BYTES}));
            gpu.collectiveLaunch(function, blocks, 1, 1, 32, 1, 1, 0, null, params);
            gpu.stream(null).synchronize();
            assertEquals(blocks * 32, shmem.defaultContext().getInt(words, Integer.BYTES, 0));

            final GpuException tooLarge = assertThrows(GpuException.class, () ->
                gpu.collectiveLaunch(function, blocks + 1, 1, 1, 32, 1, 1, 0, null, params));
            assertNotEquals(0, tooLarge.cuResult());
            for (final int[] size : new int[][]{{0, 1, 1, 1}, {1, -1, 1, 1}, {1, 1, 1, 0}})
            {
                assertThrows(IllegalArgumentException.class, () -> gpu.collectiveLaunch(
                    function, size[0], size[1], size[2], size[3], 1, 1, 0, null, params), Arrays.toString(size));
            }

            assertThrows(IllegalArgumentException.class, () -> gpu.collectiveLaunchMaxBlocks(function, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> gpu.collectiveLaunchMaxBlocks(null, 1, 0));
            unload(gpu, module);
            shmem.free(words);
        });
    }

    @Test
    void shouldLoadModules() throws Exception
    {
        run(1, new Gpu.Context(), (shmem, gpu) ->
        {
            assertThrows(IllegalArgumentException.class, () -> gpu.loadModule(null));
            final byte[] newer = ".version 99.9\n.target sm_75\n.address_size 64\n".getBytes(StandardCharsets.US_ASCII);
            final GpuException ex = assertThrows(GpuException.class, () -> gpu.loadModule(newer));
            assertTrue(ex.getMessage().contains("-cubin or -fatbin"), ex.getMessage());
            try (InputStream kernels = DeviceModulesTest.class.getResourceAsStream(KERNELS))
            {
                final CUmodule module = gpu.loadModule(kernels.readAllBytes());
                check(JCudaDriver.cuModuleGetFunction(new CUfunction(), module, "sim_test_grid_barrier"));
                unload(gpu, module);
            }
        });
    }

    @Test
    @RequiresSimulatedDriver
    void shouldNameTheRemedyWhereABlockNeedsTooManyRegisters() throws Exception
    {
        run(1, new Gpu.Context(), (shmem, gpu) ->
        {
            final CUmodule module;
            try (InputStream kernels = DeviceModulesTest.class.getResourceAsStream(KERNELS))
            {
                module = gpu.loadModule(kernels.readAllBytes());
            }

            final CUfunction function = new CUfunction();
            check(JCudaDriver.cuModuleGetFunction(function, module, "sim_test_grid_barrier"));
            SimulatedDriver.set(SimulatedDriver.SET_REGISTERS, 128);
            try
            {
                assertEquals(0, gpu.collectiveLaunchMaxBlocks(function, 1024, 0));
                assertTrue(gpu.collectiveLaunchMaxBlocks(function, 512, 0) > 0);
                final Pointer params = Pointer.to(Pointer.to(new long[1]), Pointer.to(new long[1]));
                final GpuException ex = assertThrows(GpuException.class, () ->
                    gpu.collectiveLaunch(function, 1, 1, 1, 1024, 1, 1, 0, null, params));
                assertEquals(CudaResult.LAUNCH_OUT_OF_RESOURCES, ex.cuResult());
                assertTrue(ex.getMessage().contains("__launch_bounds__"), ex.getMessage());
            }
            finally
            {
                SimulatedDriver.set(SimulatedDriver.SET_REGISTERS, 32);
            }

            unload(gpu, module);
        });
    }

    @Test
    void shouldCheckTheCapacityOfTheRing()
    {
        final Gpu.Context config = new Gpu.Context();
        assertEquals(1024, config.proxyRingCapacity());
        assertEquals(64, config.proxyRingCapacity(64).proxyRingCapacity());
        for (final int capacity : new int[]{0, -1, 32, 65, 1000, 1 << 21})
        {
            final Exception ex =
                assertThrows(IllegalArgumentException.class, () -> config.proxyRingCapacity(capacity));
            assertTrue(ex.getMessage().contains("aeroshmem.gpu.ring"), ex.getMessage());
        }
    }
}
