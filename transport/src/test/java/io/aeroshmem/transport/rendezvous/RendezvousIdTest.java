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
package io.aeroshmem.transport.rendezvous;

import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RendezvousIdTest
{
    private static final byte[] JOB_ID = bytes(16, 1);
    private static final byte[] SECRET = bytes(16, 101);

    @Test
    void shouldComeBackFromItsBytes() throws Exception
    {
        for (final String host : new String[]{"10.1.2.3", "fe80::1:2", "255.255.255.254"})
        {
            final InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 65535);
            final RendezvousId id = RendezvousId.of(address, JOB_ID, SECRET);
            assertTrue(id.toBytes().length <= 64);
            final RendezvousId back = RendezvousId.fromBytes(id.toBytes());
            assertEquals(id, back);
            assertEquals(id.hashCode(), back.hashCode());
            assertEquals(address, back.address());
            assertArrayEquals(JOB_ID, back.jobId());
            assertArrayEquals(SECRET, back.secret());
        }
    }

    @Test
    void shouldNotShowItsSecret()
    {
        final String text = RendezvousId.of(new InetSocketAddress("127.0.0.1", 1), JOB_ID, SECRET).toString();
        assertTrue(text.contains("127.0.0.1:1") && text.contains("0102030405"), text);
        assertFalse(text.contains("65666768"), text);
    }

    @Test
    void shouldDependOnAllItIsDerivedFrom()
    {
        final InetSocketAddress address = InetSocketAddress.createUnresolved("head.node.invalid", 4711);
        final RendezvousId id = RendezvousId.derive(address, "job 7", "secret");
        assertEquals(id, RendezvousId.derive(address, "job 7", "secret"));
        assertNotEquals(id, RendezvousId.derive(address, "job 8", "secret"));
        assertNotEquals(id, RendezvousId.derive(address, "job 7", "secret "));
        assertFalse(Arrays.equals(id.secret(), RendezvousId.derive(address, "job 8", "secret").secret()));
        assertThrows(TransportException.class, id::toBytes);
        assertThrows(IllegalArgumentException.class, () -> RendezvousId.derive(address, "", "secret"));
        assertThrows(IllegalArgumentException.class, () -> RendezvousId.derive(address, "job", ""));
    }

    @Test
    void shouldCondenseLongSecret()
    {
        final InetSocketAddress address = new InetSocketAddress("127.0.0.1", 1);
        final RendezvousId id = RendezvousId.of(address, JOB_ID, bytes(64, 3));
        assertEquals(id, RendezvousId.fromBytes(id.toBytes()));
        assertNotEquals(id, RendezvousId.of(address, JOB_ID, bytes(65, 3)));
    }

    @Test
    void shouldRefuseWhatIsNoId()
    {
        final InetSocketAddress address = new InetSocketAddress("127.0.0.1", 1);
        assertThrows(IllegalArgumentException.class, () -> RendezvousId.of(address, bytes(15, 1), SECRET));
        assertThrows(IllegalArgumentException.class, () -> RendezvousId.of(address, JOB_ID, bytes(15, 1)));
        assertThrows(IllegalArgumentException.class,
            () -> RendezvousId.of(new InetSocketAddress("0.0.0.0", 1), JOB_ID, SECRET));
        assertThrows(IllegalArgumentException.class,
            () -> RendezvousId.of(new InetSocketAddress("127.0.0.1", 0), JOB_ID, SECRET));
    }

    @Test
    void shouldNoticeAnyDamage()
    {
        final byte[] bytes = RendezvousId.of(new InetSocketAddress("127.0.0.1", 1), JOB_ID, SECRET).toBytes();
        for (int bit = 0; bit < 8 * bytes.length; bit++)
        {
            final byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte)(1 << bit % 8);
            assertThrows(IllegalArgumentException.class, () -> RendezvousId.fromBytes(damaged));
        }

        for (int length = 0; length < bytes.length + 4; length++)
        {
            final byte[] cut = Arrays.copyOf(bytes, length);
            if (length != bytes.length)
            {
                assertThrows(IllegalArgumentException.class, () -> RendezvousId.fromBytes(cut));
            }
        }

        final Random random = new Random(4);
        for (int i = 0; i < 1_000; i++)
        {
            final byte[] wild = new byte[random.nextInt(100)];
            random.nextBytes(wild);
            assertThrows(IllegalArgumentException.class, () -> RendezvousId.fromBytes(wild));
        }
    }

    private static byte[] bytes(final int length, final int first)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)(first + i);
        }

        return bytes;
    }
}
