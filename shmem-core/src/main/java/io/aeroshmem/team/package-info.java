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
 * The membership of teams, and their creation. {@link io.aeroshmem.team.Membership} numbers the members;
 * {@link io.aeroshmem.team.PredefinedMembership} has the members of the teams that every job has. Other teams are
 * created in three ways:
 * <ul>
 * <li>from a parent team, by {@link io.aeroshmem.team.TeamSplitting};</li>
 * <li>from PEs that share only an id, by {@link io.aeroshmem.team.TeamRecordExchange};</li>
 * <li>from PEs of the world or of a parent team, without blocking, by {@link io.aeroshmem.team.CreationAttempt}, which
 * consists of a {@code CreationExchange} and a slot.</li>
 * </ul>
 * These ways differ in how the participants get each other's records, and agree that all have them. They have the same
 * {@code CreationRecord}; {@code CreationOutcome}, a pure function of the records, is a team or a
 * {@code CreationReason}. All of them take the memory of a team from {@link io.aeroshmem.team.TeamSlots}, and return a
 * {@link io.aeroshmem.team.TeamDescriptor}.
 */
package io.aeroshmem.team;
