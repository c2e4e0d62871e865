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
package io.aeroshmem.transport.aeron;

/**
 * Told what the inbox finds out about those who send to it. Under the engine's lock.
 */
interface InboxListener
{
    /**
     * A peer sent what it must not; nothing of the record was performed.
     *
     * @param sourcePe  who sent it.
     * @param complaint what it sent.
     */
    void onProtocolFailure(int sourcePe, String complaint);

    /**
     * A peer sent its first frame by a stream.
     *
     * @param correlationId of the stream's image.
     */
    void onPeerImage(long correlationId);
}
