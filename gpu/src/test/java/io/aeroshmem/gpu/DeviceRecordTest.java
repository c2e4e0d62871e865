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
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a PE learns of another from its record. */
class DeviceRecordTest
{
    private static final byte[] UUID = new byte[16];

    private static DeviceRecord ready(final long context)
    {
        final DeviceRecord record = new DeviceRecord();
        record.ready(context, UUID, 4096, 1 << 20, 0);
        return record;
    }

    @Test
    void shouldDistinguishContextsOfAProcess()
    {
        final DeviceRecord record = ready(77);
        assertTrue(record.isSameProcess(ready(78)));
        assertTrue(record.isSameContext(ready(77)));
        assertFalse(record.isSameContext(ready(78)));
    }

    /** Processes in different namespaces may have the same id. Another class loader stands for another process. */
    @Test
    void shouldDistinguishProcessesOfTheSameId() throws Exception
    {
        final Class<?> type = new RecordLoader().loadClass(DeviceRecord.class.getName());
        final Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        final Object foreign = constructor.newInstance();
        final Method ready = Arrays.stream(type.getDeclaredMethods())
            .filter((method) -> "ready".equals(method.getName())).findFirst().orElseThrow();
        ready.setAccessible(true);
        ready.invoke(foreign, 77L, UUID, 4096L, 1L << 20, 0);
        final Method buffer = type.getDeclaredMethod("buffer");
        buffer.setAccessible(true);

        final DeviceRecord received = new DeviceRecord();
        received.buffer().putBytes(0, (UnsafeBuffer)buffer.invoke(foreign), 0, DeviceRecord.LENGTH);
        assertEquals(DeviceRecord.READY, received.state());
        assertFalse(ready(77).isSameProcess(received));
    }

    @Test
    void shouldKeepTheReasonOfAFailure()
    {
        final DeviceRecord record = new DeviceRecord();
        record.failed("r".repeat(1000));
        assertEquals(DeviceRecord.FAILED, record.state());
        assertEquals("r".repeat(DeviceRecord.LENGTH - 132), record.reason());

        record.failed("r" + "\u00e9".repeat(500));
        assertEquals("r" + "\u00e9".repeat((DeviceRecord.LENGTH - 133) / 2), record.reason());
    }

    private static final class RecordLoader extends ClassLoader
    {
        RecordLoader()
        {
            super(DeviceRecord.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException
        {
            if (!DeviceRecord.class.getName().equals(name))
            {
                return super.loadClass(name, resolve);
            }

            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class"))
            {
                final byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            }
            catch (final IOException ex)
            {
                throw new ClassNotFoundException(name, ex);
            }
        }
    }
}
