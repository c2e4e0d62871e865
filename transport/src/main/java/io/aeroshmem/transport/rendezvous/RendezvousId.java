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

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.zip.CRC32;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Where the PEs of a job meet, which job it is, and its secret. Whoever has the bytes of an id can join the job, so
 * they are to be handed on like a password; {@link #toString()} does not show the secret.
 * <p>
 * The bytes, in network order:
 * <pre>
 *   magic "AERV" (4) | version (1) | address length, 4 or 16 (1) | port (2) | address (16) | job id (16) | secret (16)
 *   | CRC-32 of all before (4)
 * </pre>
 * The checksum tells an id that was cut or mistyped on its way from one that leads to another job.
 * <p>
 * Immutable, and so thread-safe.
 */
public final class RendezvousId
{
    /**
     * How many bytes {@link #toBytes()} has.
     */
    public static final int LENGTH = 60;

    /**
     * How many bytes a job id has.
     */
    public static final int JOB_ID_LENGTH = 16;

    /**
     * The fewest bytes of a secret.
     */
    public static final int MIN_SECRET_LENGTH = 16;

    private static final int MAGIC = 0x41455256;
    private static final byte VERSION = 1;
    private static final int ADDRESS_LENGTH = 16;
    private static final int MAX_PORT = 65535;

    private final InetSocketAddress address;
    private final byte[] jobId;
    private final byte[] secret;

    private RendezvousId(final InetSocketAddress address, final byte[] jobId, final byte[] secret)
    {
        if (address.getPort() < 1 || null != address.getAddress() && address.getAddress().isAnyLocalAddress())
        {
            throw new IllegalArgumentException("a rendezvous at " + address + ": it needs a port from 1 to " +
                MAX_PORT + " and an address that others can connect to, not the wildcard");
        }

        this.address = address;
        this.jobId = jobId;
        this.secret = secret;
    }

    /**
     * An id of known parts.
     *
     * @param address at which the server listens. An unresolved one is resolved whenever a client connects.
     * @param jobId   {@value #JOB_ID_LENGTH} bytes that no other job has.
     * @param secret  at least {@value #MIN_SECRET_LENGTH} bytes that only the processes of the job know.
     * @return the id.
     */
    public static RendezvousId of(final InetSocketAddress address, final byte[] jobId, final byte[] secret)
    {
        if (JOB_ID_LENGTH != jobId.length || secret.length < MIN_SECRET_LENGTH)
        {
            throw new IllegalArgumentException("a job id of " + jobId.length + " bytes and a secret of " +
                secret.length + ": they must have " + JOB_ID_LENGTH + ", and " + MIN_SECRET_LENGTH + " or more");
        }

        return new RendezvousId(
            address,
            jobId.clone(),
            MIN_SECRET_LENGTH == secret.length ? secret.clone() : digest("aeroshmem secret", secret));
    }

    /**
     * An id that every process of a job computes for itself from what its environment tells all of them.
     *
     * @param address at which the server listens. An unresolved one is resolved whenever a client connects.
     * @param jobKey  text that tells the job from others, such as a scheduler's job id; not empty.
     * @param secret  text that only the processes of the job know; not empty. It can be no better than it is long and
     *                random.
     * @return the id.
     */
    public static RendezvousId derive(final InetSocketAddress address, final String jobKey, final String secret)
    {
        if (jobKey.isEmpty() || secret.isEmpty())
        {
            throw new IllegalArgumentException("job key and secret of a rendezvous must not be empty " +
                "(the property aeroshmem.rendezvous.secret sets the secret)");
        }

        return new RendezvousId(
            address,
            digest("aeroshmem job", jobKey.getBytes(UTF_8)),
            digest("aeroshmem secret of " + jobKey, secret.getBytes(UTF_8)));
    }

    /**
     * The id behind bytes that {@link #toBytes()} made.
     *
     * @param bytes {@value #LENGTH} bytes.
     * @return the id.
     * @throws IllegalArgumentException if these are no such bytes.
     */
    public static RendezvousId fromBytes(final byte[] bytes)
    {
        if (LENGTH != bytes.length)
        {
            throw new IllegalArgumentException("the id of a rendezvous has " + LENGTH + " bytes, not " + bytes.length);
        }

        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final int magic = buffer.getInt();
        final byte version = buffer.get();
        if (MAGIC != magic)
        {
            throw new IllegalArgumentException("no id of a rendezvous: it begins with " + Integer.toHexString(magic) +
                ", not " + Integer.toHexString(MAGIC) + " (the id of a team is another thing)");
        }

        if (VERSION != version)
        {
            throw new IllegalArgumentException("the id of a rendezvous of version " + version + ", this is " + VERSION +
                ": all processes of a job need the same AeroSHMEM");
        }

        final int addressLength = buffer.get();
        final int port = Short.toUnsignedInt(buffer.getShort());
        final byte[] addressBytes = new byte[ADDRESS_LENGTH];
        final byte[] jobId = new byte[JOB_ID_LENGTH];
        final byte[] secret = new byte[MIN_SECRET_LENGTH];
        buffer.get(addressBytes).get(jobId).get(secret);
        if (checksum(bytes) != buffer.getInt() || 4 != addressLength && ADDRESS_LENGTH != addressLength)
        {
            throw new IllegalArgumentException("the id of a rendezvous was damaged on its way: its checksum is wrong");
        }

        try
        {
            final InetAddress address = InetAddress.getByAddress(Arrays.copyOf(addressBytes, addressLength));
            return new RendezvousId(new InetSocketAddress(address, port), jobId, secret);
        }
        catch (final UnknownHostException ex)
        {
            throw new IllegalArgumentException("the id of a rendezvous has no address", ex);
        }
    }

    /**
     * An id with a random job id and a random secret.
     *
     * @param address at which the server listens.
     * @return the id.
     */
    static RendezvousId random(final InetSocketAddress address)
    {
        final SecureRandom random = new SecureRandom();
        final byte[] jobId = new byte[JOB_ID_LENGTH];
        final byte[] secret = new byte[MIN_SECRET_LENGTH];
        random.nextBytes(jobId);
        random.nextBytes(secret);

        return new RendezvousId(address, jobId, secret);
    }

    /**
     * The id as bytes that any process can join with.
     *
     * @return {@value #LENGTH} bytes.
     * @throws TransportException if the address is a name that cannot be resolved here.
     */
    public byte[] toBytes()
    {
        final byte[] bytes = new byte[LENGTH];
        final byte[] addressBytes = resolved().getAddress().getAddress();
        final ByteBuffer buffer = ByteBuffer.wrap(bytes)
            .putInt(MAGIC)
            .put(VERSION)
            .put((byte)addressBytes.length)
            .putShort((short)address.getPort())
            .put(Arrays.copyOf(addressBytes, ADDRESS_LENGTH))
            .put(jobId)
            .put(secret);
        buffer.putInt(checksum(bytes));

        return bytes;
    }

    /**
     * Where the server listens.
     *
     * @return the address as it was given, which may be unresolved.
     */
    public InetSocketAddress address()
    {
        return address;
    }

    /**
     * The address with its name resolved now.
     *
     * @throws TransportException if it cannot be.
     */
    InetSocketAddress resolved()
    {
        final InetSocketAddress resolved =
            address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
        if (resolved.isUnresolved())
        {
            throw new TransportException("the name '" + address.getHostString() + "' of the rendezvous cannot be " +
                "resolved here (property aeroshmem.rendezvous)");
        }

        return resolved;
    }

    byte[] jobId()
    {
        return jobId.clone();
    }

    byte[] secret()
    {
        return secret.clone();
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof RendezvousId && address.equals(((RendezvousId)other).address) &&
            Arrays.equals(jobId, ((RendezvousId)other).jobId) &&
            MessageDigest.isEqual(secret, ((RendezvousId)other).secret);
    }

    @Override
    public int hashCode()
    {
        return 31 * address.hashCode() + Arrays.hashCode(jobId);
    }

    @Override
    public String toString()
    {
        final StringBuilder builder = new StringBuilder("RendezvousId{")
            .append(address.getHostString()).append(':').append(address.getPort()).append(", job ");
        for (final byte value : jobId)
        {
            builder.append(Character.forDigit((value >> 4) & 0xF, 16)).append(Character.forDigit(value & 0xF, 16));
        }

        return builder.append('}').toString();
    }

    private static int checksum(final byte[] bytes)
    {
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, LENGTH - Integer.BYTES);

        return (int)crc.getValue();
    }

    private static byte[] digest(final String label, final byte[] value)
    {
        try
        {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            final byte[] labelBytes = label.getBytes(UTF_8);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(labelBytes.length).array());
            digest.update(labelBytes);

            return Arrays.copyOf(digest.digest(value), MIN_SECRET_LENGTH);
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every Java platform has SHA-256", ex);
        }
    }
}
