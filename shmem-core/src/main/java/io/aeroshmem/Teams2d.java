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
package io.aeroshmem;

/**
 * The teams of a PE's row and column, as {@link Team#split2d(int)} creates them. That method arranges the members of a
 * team in a grid, in which each member has the coordinates x and y.
 *
 * @param xAxis the row: the PEs of the same y. The rank of a PE in the row is its x.
 * @param yAxis the column: the PEs of the same x. The rank of a PE in the column is its y.
 */
public record Teams2d(Team xAxis, Team yAxis)
{
}
