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
 * The collectives of a team.
 * <ul>
 * <li>A blocking call goes through the steps of {@link io.aeroshmem.collective.TeamCollectives}. The
 * {@link io.aeroshmem.collective.CollectiveEngine} polls it to completion.</li>
 * <li>A {@link io.aeroshmem.collective.RequestQueue} polls the requests, which are the nonblocking calls.</li>
 * <li>A task that the {@link io.aeroshmem.collective.AlgorithmTable} selects performs the call or request.</li>
 * <li>Tasks signal other members through {@link io.aeroshmem.collective.PeerMailboxes}, in areas laid out by
 * {@link io.aeroshmem.collective.TeamAreaDescriptor}.</li>
 * </ul>
 */
package io.aeroshmem.collective;
