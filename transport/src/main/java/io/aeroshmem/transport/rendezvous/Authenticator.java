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

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * The message authentication of the rendezvous. Client and server prove that they know the secret of the job without
 * sending it. The proof is an HMAC-SHA256 with the secret as its key. It covers a label for the direction, a random
 * nonce of each side, the job id and the message. The nonces make a recorded message useless on another connection; the
 * labels make it useless in the other direction.
 * <p>
 * Only {@link JoinRequest} (of the client) and {@link JoinAccepted} (of the server) carry a proof. Later messages of
 * the connection are neither signed nor encrypted. Anyone who can inject data into a TCP connection between two hosts
 * of a job can therefore impersonate the process at either end, and for example fail the job. Cutting the connection
 * fails the job too.
 * <p>
 * Immutable except for the random generator, which is thread-safe.
 */
final class Authenticator
{
    static final int MAC_LENGTH = 32;
    static final int NONCE_LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] CLIENT = "client".getBytes(US_ASCII);
    private static final byte[] SERVER = "server".getBytes(US_ASCII);

    private final byte[] jobId;
    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    Authenticator(final RendezvousId id)
    {
        jobId = id.jobId();
        key = new SecretKeySpec(id.secret(), ALGORITHM);
    }

    byte[] nonce()
    {
        final byte[] nonce = new byte[NONCE_LENGTH];
        random.nextBytes(nonce);

        return nonce;
    }

    byte[] jobId()
    {
        return jobId.clone();
    }

    boolean isJob(final byte[] otherJobId)
    {
        return MessageDigest.isEqual(jobId, otherJobId);
    }

    /** Returns the code of a JoinRequest whose code field is 0. */
    byte[] macOfJoinRequest(final byte[] serverNonce, final byte[] clientNonce, final byte[] message)
    {
        return mac(CLIENT, serverNonce, clientNonce, message);
    }

    /** Returns the code of a JoinAccepted whose code field is 0. */
    byte[] macOfJoinAccepted(final byte[] clientNonce, final byte[] serverNonce, final byte[] message)
    {
        return mac(SERVER, clientNonce, serverNonce, message);
    }

    private byte[] mac(final byte[] label, final byte[] firstNonce, final byte[] secondNonce, final byte[] message)
    {
        try
        {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(label);
            mac.update(firstNonce);
            mac.update(secondNonce);
            mac.update(jobId);

            return mac.doFinal(message);
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, ex);
        }
    }
}
