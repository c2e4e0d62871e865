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

/**
 * Path to peers by messages, over Aeron IPC or UDP. The main classes are:
 * <ul>
 * <li>{@link io.aeroshmem.transport.aeron.MessageTransport} turns operations into records.</li>
 * <li>The {@code Outbox} of a {@code PeerLink} sends the records.</li>
 * <li>The {@code Inbox} performs the requests of peers.</li>
 * <li>{@code RequestTable} holds the requests for which this PE awaits replies, {@code ReplyQueue} the replies that it
 * owes.</li>
 * <li>{@link io.aeroshmem.transport.aeron.ProgressEngine}, one per PE, runs the duty cycle of all of these.</li>
 * <li>{@code FrameSink} and {@code FrameSource} are the streams, of which Aeron's are one kind; an
 * {@link io.aeroshmem.transport.aeron.AeronConnection} opens them.</li>
 * <li>{@code Channels} has every URI and stream id.</li>
 * <li>{@code RecordDescriptor} has every offset of the wire format, whose schema is in the module {@code codecs}.</li>
 * </ul>
 */
package io.aeroshmem.transport.aeron;
