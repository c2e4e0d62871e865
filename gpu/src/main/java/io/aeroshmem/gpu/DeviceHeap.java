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
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.BitUtil;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The device heap of a PE, and the addresses at which this process reaches the device heaps of other PEs. Another PE's
 * device heap has such an address only if this process maps that PE's host heap, and one of these cases applies:
 * <ul>
 *     <li>The other PE runs in the same process. Its device heap has the same address for both PEs. If the two PEs use
 *     one device, they must use the same CUDA context.</li>
 *     <li>The other PE runs in another process. This process maps that PE's device heap by CUDA IPC, and uses the
 *     address of the mapping. Both PEs must have enabled the sharing of heaps by CUDA IPC.</li>
 * </ul>
 */
final class DeviceHeap implements AutoCloseable
{
    private static final String MPS_SHARE = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
    private static final int WHOLE = 100;
    private static final String IPC_OFF = ShmemProperty.GPU_IPC.propertyName() + "=false";
    private static final String OTHER_NAMESPACE =
        "the PE uses the same device, but is not on this node: it has another user or another /dev/shm";

    /*
     * If the two PEs use different devices, this PE's device must also have access to the memory of the other device,
     * with native atomics. So the other device must be visible in this process. It is identified by its UUID, because a
     * device may have different numbers in two processes.
     *
     * If a device heap has no address in this process, the PE that owns the heap performs the operations on it.
     */
    private final CudaDevice device;
    private final CudaDriver driver;
    private final long base;
    private final long length;
    /** Offset of the areas of the collectives that kernels call, which follow the heap. */
    private final long areasOffset;
    /** Offset of the memory of the collectives on streams, which comes last. */
    private final long worldOffset;
    private final boolean isShared;
    /** How the heap of each PE is reached. */
    private DeviceReach[] reaches;
    private long[] addresses;
    private boolean[] isMapped;
    private boolean hasOtherDevices;

    /** Allocates the heap. */
    DeviceHeap(final CudaDevice device, final long length, final int nPes, final boolean isShared)
    {
        this.device = device;
        this.length = length;
        this.isShared = isShared;
        driver = device.driver();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            areasOffset = BitUtil.align(length, TeamAreas.ALIGNMENT);
            worldOffset = BitUtil.align(areasOffset + TeamAreas.length(nPes), WorldCollectives.ALIGNMENT);
            final long end = worldOffset + WorldCollectives.length(nPes);
            base = device.allocate(end, areasOffset);
        }
    }

    long base()
    {
        return base;
    }

    /** Returns the offset of the areas of the collectives that kernels call. */
    long areasOffset()
    {
        return areasOffset;
    }

    /** Returns the length of the heap with these areas: what operations may reach. */
    long reachableLength()
    {
        return worldOffset;
    }

    /** Fills in what the other PEs have to know. */
    void describe(final DeviceRecord record)
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            record.ready(
                device.context(),
                driver.deviceGetUuid(device.handle()),
                base,
                length,
                mpsShare(driver, device.handle()));
            share(record);
        }
    }

    /** Memory that cannot be shared is reached through its owner; the other PEs learn the reason. */
    private void share(final DeviceRecord record)
    {
        if (!isShared)
        {
            record.notShared(IPC_OFF);
            return;
        }

        try
        {
            final byte[] handle = new byte[CudaConstants.IPC_MEM_HANDLE_BYTES];
            driver.ipcGetMemHandle(handle, base);
            record.shared(handle);
        }
        catch (final GpuException ex)
        {
            record.notShared(ex.getMessage());
        }
    }

    /** Returns the share of the device, in percent, that MPS gives to this process; 0 without MPS. */
    static int mpsShare(final CudaDriver driver, final int device)
    {
        // 0 too where an older driver does not know the attribute
        if (0 == driver.deviceGetAttributeOr(CudaConstants.MPS_ENABLED, device, 0))
        {
            return 0;
        }

        final String share = System.getenv(MPS_SHARE);
        try
        {
            return null == share || share.isBlank() ? WHOLE : (int)Math.ceil(Double.parseDouble(share.trim()));
        }
        catch (final NumberFormatException ex)
        {
            throw new GpuException(MPS_SHARE + " must be a number: '" + share + "'", ex);
        }
    }

    /** Finds the addresses of all heaps; returns whether each PE of this node has one. */
    boolean connect(final Endpoint endpoint, final DeviceRecord[] records)
    {
        final int pe = endpoint.pe();
        final DeviceRecord own = records[pe];
        addresses = new long[records.length];
        isMapped = new boolean[records.length];
        reaches = new DeviceReach[records.length];
        boolean isComplete = true;
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            for (int peer = 0; peer < records.length; peer++)
            {
                if (PathKind.MAPPED == endpoint.path(peer))
                {
                    reaches[peer] = connect(own, records[peer], peer);
                    isComplete &= 0 != addresses[peer];
                    hasOtherDevices |= !own.isSameDevice(records[peer]);
                }
                else
                {
                    reaches[peer] = DeviceReach.byMessages(obstacleToMapping(endpoint, own, records[peer], peer));
                }
            }
        }

        // A PE that is reached by messages, this one too, performs operations on its heap itself.
        addresses[pe] = base;
        reaches[pe] = DeviceReach.byAddress("the PE's own memory");
        return isComplete;
    }

    private static String obstacleToMapping(
        final Endpoint endpoint, final DeviceRecord own, final DeviceRecord other, final int peer)
    {
        return endpoint.isSameHost(peer) ? ShmemProperty.TRANSPORT.propertyName() + " forbids to map its host memory" :
            own.isSameDevice(other) ? OTHER_NAMESPACE : "the PE is on another node";
    }

    /** Memory that cannot be mapped, whatever the reason is, is reached through its owner. */
    private DeviceReach connect(final DeviceRecord own, final DeviceRecord other, final int peer)
    {
        try
        {
            final String obstacle = obstacleToAddress(own, other);
            if (null != obstacle)
            {
                return DeviceReach.byOwner(obstacle);
            }

            final boolean isSameDevice = own.isSameDevice(other);
            final String devices = isSameDevice ? "" : ", peer access between devices";
            if (own.isSameProcess(other))
            {
                if (!isSameDevice)
                {
                    driver.ctxEnablePeerAccess(other.context());
                }

                addresses[peer] = other.heapAddress();
                return DeviceReach.byAddress("same process" + devices);
            }

            // Also enables the access of the current context, this PE's, to another device.
            addresses[peer] = driver.ipcOpenMemHandle(
                other.ipcHandle(), CudaConstants.IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
            isMapped[peer] = true;
            return DeviceReach.byAddress("CUDA IPC" + devices);
        }
        catch (final GpuException ex)
        {
            return DeviceReach.byOwner(ex.getMessage());
        }
    }

    /** Returns why the heap of a PE must not have an address here, or null. */
    private String obstacleToAddress(final DeviceRecord own, final DeviceRecord other)
    {
        final boolean isSameProcess = own.isSameProcess(other);
        if (!isSameProcess && !isShared)
        {
            return IPC_OFF;
        }

        if (!isSameProcess && !other.isShared())
        {
            return "the PE does not share its memory: " + other.reason();
        }

        if (!own.isSameDevice(other))
        {
            return obstacleToPeerAccess(other.uuid());
        }

        return isSameProcess && !own.isSameContext(other) ? "another CUDA context, which has other addresses" : null;
    }

    /** Returns why this PE's device must not access the memory of another device by address, or null. */
    private String obstacleToPeerAccess(final byte[] uuid)
    {
        for (int number = driver.deviceGetCount() - 1; number >= 0; number--)
        {
            final int peer = driver.deviceGet(number);
            if (Arrays.equals(uuid, driver.deviceGetUuid(peer)))
            {
                return !driver.deviceCanAccessPeer(device.handle(), peer) ? "another device without peer access" :
                    0 == driver.deviceGetP2pAttribute(
                    CudaConstants.P2P_NATIVE_ATOMIC_SUPPORTED, device.handle(), peer) ?
                    "another device without native atomics between the two" : null;
            }
        }

        return "another device, which is not visible in this process: see CUDA_VISIBLE_DEVICES";
    }

    /** Returns how this PE reaches the heap of a PE. */
    DeviceReach reach(final int pe)
    {
        return reaches[pe];
    }

    /**
     * Logs, in one line for each reason, the PEs of this machine whose heaps have no address here although nothing in
     * the configuration of this PE forbids one.
     */
    void warn(final int pe)
    {
        final Map<String, List<Integer>> peers = new TreeMap<>();
        for (int peer = 0; peer < reaches.length; peer++)
        {
            final DeviceReach reach = reaches[peer];
            if (DeviceReach.Way.OWNER == reach.way() ? !IPC_OFF.equals(reach.reason()) :
                OTHER_NAMESPACE.equals(reach.reason()))
            {
                peers.computeIfAbsent(reach.toString(), (key) -> new ArrayList<>()).add(peer);
            }
        }

        peers.forEach((reach, list) -> System.getLogger("io.aeroshmem").log(
            System.Logger.Level.WARNING,
            "PE " + pe + " reaches the device memory of PE " +
            list.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " " + reach));
    }

    /** Returns whether other devices may access this heap by address: PEs of this node use some. */
    boolean hasOtherDevices()
    {
        return hasOtherDevices;
    }

    /** Returns whether all heaps have addresses here. */
    boolean isWorldReachable()
    {
        return LongStream.of(addresses).noneMatch((address) -> 0 == address);
    }

    /** Returns the collectives of all PEs on streams, if all of them have addresses here. */
    WorldCollectives worldCollectives(final int pe, final long[] deviceBases, final long[] hostBases)
    {
        return new WorldCollectives(device, addresses, worldOffset, pe, deviceBases, hostBases);
    }

    /** Returns the addresses in this process, by PE; 0 where there is none. */
    long[] addresses()
    {
        return addresses;
    }

    /** Returns the status of a PE that shares its device with others of its host, or does not. */
    static InitStatus status(final Endpoint endpoint, final DeviceRecord[] records)
    {
        final DeviceRecord own = records[endpoint.pe()];
        int sharing = 0;
        long shares = 0;
        boolean isMps = true;
        for (int peer = 0; peer < records.length; peer++)
        {
            if (endpoint.isSameHost(peer) && own.isSameDevice(records[peer]))
            {
                sharing++;
                shares += records[peer].mpsShare();
                isMps &= 0 != records[peer].mpsShare();
            }
        }

        return 1 == sharing ? InitStatus.INITIALIZED :
            isMps && shares <= WHOLE ? InitStatus.FULL_MPG : InitStatus.LIMITED_MPG;
    }

    /** Ends the mappings of other heaps. */
    void disconnect()
    {
        if (null == addresses)
        {
            return;
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            for (int peer = 0; peer < addresses.length; peer++)
            {
                if (isMapped[peer])
                {
                    isMapped[peer] = false;
                    driver.ipcCloseMemHandle(addresses[peer]);
                }
            }
        }
    }

    /** Frees the heap; no process maps it any more. */
    @Override
    public void close()
    {
        disconnect();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            driver.memFree(base);
        }
    }
}
