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
package io.aeroshmem.tools.plot;

import java.util.Map;
import java.util.SortedMap;

/**
 * Data of a {@link SizePlot}: values by sizes in bytes.
 *
 * @param title  title of the plot.
 * @param isTime whether the values are in nanoseconds; otherwise they are in megabytes per second.
 * @param series the values of each curve by size, at least two per curve.
 * @param dashed the values of the dashed curves by size. Each belongs to the curve of the same name in {@code series}.
 */
public record SizeChart(
    String title,
    boolean isTime,
    Map<String, SortedMap<Long, Double>> series,
    Map<String, SortedMap<Long, Double>> dashed)
{
}
