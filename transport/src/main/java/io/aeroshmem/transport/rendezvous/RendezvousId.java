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
import java.util.HexFormat;
import java.util.zip.CRC32;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The id of a rendezvous: the address of its server, the job id and the secret of the job. Any process that has the
 * bytes of an id can join the job, so the bytes must be protected like a password. {@link #toString()} omits the
 * secret.
 * <p>
 * The bytes, in network order, with the length of each field in parentheses:
 * <pre>
 *   magic "AERV" (4) | version (1) | address length, 4 or 16 (1) | port (2) | address (16) | job id (16) | secret (16)
 *   | CRC-32 of the preceding bytes (4)
 * </pre>
 * The checksum distinguishes a truncated or mistyped id from that of another job.
 * <p>
 * Immutable.
 */
public final class RendezvousId
{
    /** Length of {@link #toBytes()}. */
    public static final int LENGTH = 60;

    /** Length of a job id in bytes. */
    public static final int JOB_ID_LENGTH = 16;

    /** Minimum length of a secret in bytes. */
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
            throw new IllegalArgumentException(
                "rendezvous address must not be the wildcard and its port must be 1 to " +
                MAX_PORT + ": " + address);
        }

        this.address = address;
        this.jobId = jobId;
        this.secret = secret;
    }

    /**
     * Returns the id of an address, a job id of {@value #JOB_ID_LENGTH} bytes that no other job has, and a secret of at
     * least {@value #MIN_SECRET_LENGTH} bytes. An unresolved address is resolved whenever a client connects.
     */
    public static RendezvousId of(final InetSocketAddress address, final byte[] jobId, final byte[] secret)
    {
        if (JOB_ID_LENGTH != jobId.length || secret.length < MIN_SECRET_LENGTH)
        {
            throw new IllegalArgumentException("job id must have " + JOB_ID_LENGTH + " bytes and the secret >= " +
                MIN_SECRET_LENGTH + ": jobId=" + jobId.length + " secret=" + secret.length);
        }

        return new RendezvousId(
            address,
            jobId.clone(),
            MIN_SECRET_LENGTH == secret.length ? secret.clone() : digest("aeroshmem secret", secret));
    }

    /**
     * Returns the id that every process of a job computes from its environment: from a job key that distinguishes the
     * job, such as a scheduler's job id, and a secret, both not empty. The id is as strong as the length and randomness
     * of the secret. An unresolved address is resolved whenever a client connects.
     */
    public static RendezvousId derive(final InetSocketAddress address, final String jobKey, final String secret)
    {
        if (jobKey.isEmpty() || secret.isEmpty())
        {
            throw new IllegalArgumentException("job key and secret of a rendezvous must not be empty " +
                "(aeroshmem.rendezvous.secret)");
        }

        return new RendezvousId(
            address,
            digest("aeroshmem job", jobKey.getBytes(UTF_8)),
            digest("aeroshmem secret of " + jobKey, secret.getBytes(UTF_8)));
    }

    /** Decodes {@link #toBytes()}. Throws an {@link IllegalArgumentException} if the bytes are malformed. */
    public static RendezvousId fromBytes(final byte[] bytes)
    {
        if (LENGTH != bytes.length)
        {
            throw new IllegalArgumentException("rendezvous id must have " + LENGTH + " bytes: length=" + bytes.length);
        }

        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final int magic = buffer.getInt();
        final byte version = buffer.get();
        if (MAGIC != magic)
        {
            throw new IllegalArgumentException("rendezvous id must begin with " + Integer.toHexString(MAGIC) + ": " +
                Integer.toHexString(magic) + " (a team id is no rendezvous id)");
        }

        if (VERSION != version)
        {
            throw new IllegalArgumentException("rendezvous id must have version " + VERSION + ": version=" + version +
                "; all processes of a job must use the same AeroSHMEM");
        }

        final int addressLength = buffer.get();
        final int port = Short.toUnsignedInt(buffer.getShort());
        final byte[] addressBytes = new byte[ADDRESS_LENGTH];
        final byte[] jobId = new byte[JOB_ID_LENGTH];
        final byte[] secret = new byte[MIN_SECRET_LENGTH];
        buffer.get(addressBytes).get(jobId).get(secret);
        if (checksum(bytes) != buffer.getInt() || 4 != addressLength && ADDRESS_LENGTH != addressLength)
        {
            throw new IllegalArgumentException("rendezvous id is damaged: checksum mismatch");
        }

        try
        {
            final InetAddress address = InetAddress.getByAddress(Arrays.copyOf(addressBytes, addressLength));
            return new RendezvousId(new InetSocketAddress(address, port), jobId, secret);
        }
        catch (final UnknownHostException ex)
        {
            throw new IllegalArgumentException("rendezvous id has an invalid address", ex);
        }
    }

    /** Returns an id with a random job id and a random secret. */
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
     * Returns the {@value #LENGTH} bytes with which any process can join. Throws a {@link TransportException} if the
     * name of the host cannot be resolved.
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

    /** Returns the address of the server as given, which may be unresolved. */
    public InetSocketAddress address()
    {
        return address;
    }

    /** Returns the address, resolved now. Throws a {@link TransportException} if it cannot be resolved. */
    InetSocketAddress resolved()
    {
        final InetSocketAddress resolved =
            address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
        if (resolved.isUnresolved())
        {
            throw new TransportException("host name of the rendezvous cannot be resolved: '" +
                address.getHostString() + "' (aeroshmem.rendezvous)");
        }

        return resolved;
    }

    /**
     * Returns the id of the directory, on a node with a configured name or null, of the recoverable job that meets at
     * this rendezvous: 32 hexadecimal digits, equal in all generations. It does not reveal the secret.
     */
    public String recoveryId(final String nodeName)
    {
        final HexFormat hex = HexFormat.of();
        final String text = hex.formatHex(jobId) + hex.formatHex(secret) + (null == nodeName ? "" : nodeName);
        return hex.formatHex(digest("aeroshmem recovery", text.getBytes(UTF_8)));
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
