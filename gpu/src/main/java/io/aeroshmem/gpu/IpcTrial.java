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

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A trial of CUDA IPC: this process exports memory of a device, and another process opens it and writes to it. To
 * export memory alone shows little, because drivers refuse only the opening, for example between containers.
 */
final class IpcTrial
{
    private static final long TIMEOUT_S = 30;
    private static final byte WRITTEN = 0x5a;
    private static final String DONE = "written";

    private IpcTrial()
    {
    }

    /**
     * Performs the trial.
     *
     * @param device number of the device.
     * @param java   command that starts the JVM of the other process.
     * @return why the other process could not write, or null.
     */
    static String problem(final CudaDriver driver, final int device, final List<String> java)
    {
        final int handle = driver.deviceGet(device);
        driver.ctxPushCurrent(driver.devicePrimaryCtxRetain(handle));
        try
        {
            final long address = driver.memAlloc(Long.BYTES);
            try
            {
                driver.memsetD8(address, (byte)0, Long.BYTES);
                driver.ctxSynchronize();
                final byte[] ipcHandle = new byte[CudaConstants.IPC_MEM_HANDLE_BYTES];
                driver.ipcGetMemHandle(ipcHandle, address);
                final String problem = start(java, device, ipcHandle);
                return null != problem ? problem : isWritten(driver, address) ? null :
                    "the memory does not have what another process has written there";
            }
            finally
            {
                driver.memFree(address);
            }
        }
        catch (final GpuException ex)
        {
            return ex.getMessage();
        }
        finally
        {
            driver.ctxPopCurrent();
            driver.devicePrimaryCtxRelease(handle);
        }
    }

    private static boolean isWritten(final CudaDriver driver, final long address)
    {
        final UnsafeBuffer word = new UnsafeBuffer(ByteBuffer.allocateDirect(Long.BYTES));
        driver.memcpy(word.addressOffset(), address, Long.BYTES);
        return WRITTEN == word.getByte(0) && WRITTEN == word.getByte(Long.BYTES - 1);
    }

    private static String start(final List<String> java, final int device, final byte[] ipcHandle)
    {
        final List<String> command = new ArrayList<>(java);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), IpcTrial.class.getName(),
            Integer.toString(device), HexFormat.of().formatHex(ipcHandle)));
        Process process = null;
        try
        {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS))
            {
                return "another process has not opened the memory within " + TIMEOUT_S + " s";
            }

            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            final String last = output.substring(output.lastIndexOf('\n') + 1);
            return DONE.equals(last) ? null : last;
        }
        catch (final IOException ex)
        {
            return "another process cannot be started: " + ex;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
        finally
        {
            if (null != process)
            {
                process.destroyForcibly();
            }
        }
    }

    /** The other process: the arguments are the number of the device and the handle. */
    public static void main(final String[] args)
    {
        try
        {
            final CudaDriver driver = JCudaBinding.load();
            driver.ctxPushCurrent(driver.devicePrimaryCtxRetain(driver.deviceGet(Integer.parseInt(args[0]))));
            final long address = driver.ipcOpenMemHandle(
                HexFormat.of().parseHex(args[1]), CudaConstants.IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
            driver.memsetD8(address, WRITTEN, Long.BYTES);
            driver.ctxSynchronize();
            driver.ipcCloseMemHandle(address);
            System.out.println(DONE);
        }
        catch (final GpuException ex)
        {
            System.out.println(ex.getMessage());
        }
    }
}
