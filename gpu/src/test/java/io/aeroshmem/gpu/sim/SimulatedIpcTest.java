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
package io.aeroshmem.gpu.sim;

import static io.aeroshmem.gpu.sim.SimulatedDriver.assumeAvailable;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@RequiresSimulatedDriver
class SimulatedIpcTest
{
    private ChildJvm exporter;
    private ChildJvm importer;

    @BeforeAll
    static void requireDriver()
    {
        assumeAvailable();
    }

    @AfterEach
    void endPeers()
    {
        if (null != exporter)
        {
            exporter.close();
        }

        if (null != importer)
        {
            importer.close();
        }
    }

    @Test
    void shouldShareMemoryOfTwoProcesses()
    {
        startPeers(Map.of());
        expect("CUDA_SUCCESS", exporter, "allocate 10000");
        expect("CUDA_SUCCESS", exporter, "set 9996 41");
        final String handle = call(exporter, "export");
        assertEquals(128, handle.length(), handle);
        expect("CUDA_ERROR_INVALID_CONTEXT", exporter, "open " + handle);

        expect("CUDA_SUCCESS", importer, "open " + handle);
        expect("41", importer, "get 9996");
        expect("CUDA_ERROR_INVALID_VALUE", importer, "get 10000");
        expect("CUDA_SUCCESS", importer, "set 4 42");
        expect("42", exporter, "get 4");
        expect("CUDA_ERROR_INVALID_VALUE", importer, "free");
        expect("CUDA_ERROR_INVALID_VALUE", importer, "export");

        expect("CUDA_SUCCESS", importer, "open " + handle);
        expect("CUDA_SUCCESS", importer, "close");
        expect("41", importer, "get 9996");
        expect("CUDA_SUCCESS", importer, "close");
        expect("CUDA_ERROR_INVALID_VALUE", importer, "close");
        expect("0", importer, "imports");
    }

    @Test
    void shouldRejectHandlesOfFreedMemoryAndEndedProcesses()
    {
        startPeers(Map.of());
        expect("CUDA_SUCCESS", exporter, "allocate 4096");
        final String freed = call(exporter, "export");
        expect("CUDA_SUCCESS", exporter, "free");
        expect("CUDA_ERROR_INVALID_VALUE", importer, "open " + freed);

        expect("CUDA_SUCCESS", exporter, "allocate 4096");
        final String handle = call(exporter, "export");
        expect("CUDA_SUCCESS", exporter, "set 0 7");
        expect("CUDA_SUCCESS", importer, "open " + handle);
        exporter.kill();
        expect("7", importer, "get 0");
        expect("CUDA_SUCCESS", importer, "close");
        expect("CUDA_ERROR_INVALID_VALUE", importer, "open " + handle);
        expect("CUDA_ERROR_INVALID_VALUE", importer, "open " + "00".repeat(64));
    }

    @Test
    void shouldNotSupportIpcWhereItIsOff()
    {
        startPeers(Map.of("AEROSHMEM_CUDA_SIM_IPC", "off"));
        expect("CUDA_SUCCESS", exporter, "allocate 4096");
        expect("CUDA_ERROR_NOT_SUPPORTED", exporter, "export");
        expect("CUDA_ERROR_NOT_SUPPORTED", importer, "open " + "00".repeat(64));
    }

    /** Ordinals differ between the processes: the device of the exporter is the number 0 of both. */
    @ParameterizedTest
    @CsvSource({"'2,1', CUDA_SUCCESS", "'1,2', CUDA_SUCCESS", "'2', CUDA_ERROR_INVALID_DEVICE",
        "'0,1', CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"})
    void shouldOpenMemoryOfAnotherDevice(final String visible, final String result)
    {
        final Map<String, String> devices =
            Map.of("AEROSHMEM_CUDA_SIM_DEVICES", "3", "AEROSHMEM_CUDA_SIM_PEER_ACCESS", "2-1");
        startPeers(with(devices, "1"), with(devices, visible));
        expect("CUDA_SUCCESS", exporter, "allocate 64");
        expect("CUDA_SUCCESS", exporter, "set 60 5");
        expect(result, importer, "open " + call(exporter, "export"));
        if ("CUDA_SUCCESS".equals(result))
        {
            expect("5", importer, "get 60");
            expect("CUDA_SUCCESS", importer, "set 60 6");
            expect("6", exporter, "get 60");
            expect("CUDA_ERROR_INVALID_CONTEXT", importer, "open-in-another-context " + call(exporter, "export"));
            expect("CUDA_SUCCESS", importer, "close");
        }

        expect("0", importer, "imports");
    }

    private static Map<String, String> with(final Map<String, String> environment, final String visible)
    {
        final Map<String, String> result = new HashMap<>(environment);
        result.put("CUDA_VISIBLE_DEVICES", visible);
        return result;
    }

    private void startPeers(final Map<String, String> environment)
    {
        startPeers(environment, environment);
    }

    private void startPeers(final Map<String, String> ofExporter, final Map<String, String> ofImporter)
    {
        exporter = ChildJvm.start(IpcPeer.class, ofExporter);
        importer = ChildJvm.start(IpcPeer.class, ofImporter);
        exporter.await("ready");
        importer.await("ready");
        assertTrue(exporter.pid() != importer.pid());
    }

    private static void expect(final String expected, final ChildJvm peer, final String command)
    {
        assertEquals(expected, call(peer, command), command);
    }

    private static String call(final ChildJvm peer, final String command)
    {
        peer.writeLine(command);
        return peer.await("result");
    }
}
