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
package io.aeroshmem.transport;

import java.util.Map;

/**
 * What has to be equal on all PEs: names, which all PEs of one protocol version know in the same order, and the values
 * of one PE. The values travel in the join record. As every PE compares the same records in the same order, all come
 * to the same verdict, and nothing need be exchanged to tell the others of it.
 */
final class Attributes
{
    private static final String HEAP_SIZE = "aeroshmem.heap.size";
    private static final String SEPARATOR = "\n";

    private final String[] names;
    private final String values;

    Attributes(final Map<String, String> valueByName)
    {
        names = valueByName.keySet().toArray(new String[0]);
        values = String.join(SEPARATOR, valueByName.values());
    }

    /**
     * The values, for the join record.
     */
    String values()
    {
        return values;
    }

    /**
     * Throw if PEs differ.
     *
     * @param records of all PEs.
     */
    void check(final JoinRecord[] records)
    {
        final String[] expected = values(records[0]);
        for (final JoinRecord record : records)
        {
            final String[] found = values(record);
            if (found.length != expected.length || found.length != names.length)
            {
                throw new AttributeMismatchException("PE " + record.pe() + " joined with " + found.length +
                    " attributes, PE 0 with " + expected.length + ": all PEs of a job need the same AeroSHMEM");
            }

            for (int i = 0; i < names.length; i++)
            {
                check(record.pe(), names[i], found[i], expected[i]);
            }
        }

        checkHeaps(records);
    }

    /**
     * Throw if the heaps of PEs differ in size.
     *
     * @param records of all PEs.
     */
    static void checkHeaps(final JoinRecord[] records)
    {
        for (final JoinRecord record : records)
        {
            check(record.pe(), HEAP_SIZE, Long.toString(record.heapSize()), Long.toString(records[0].heapSize()));
            check(
                record.pe(),
                "a system area (in bytes)",
                Long.toString(record.systemAreaSize()),
                Long.toString(records[0].systemAreaSize()));
        }
    }

    private static void check(final int pe, final String name, final String found, final String expected)
    {
        if (!found.equals(expected))
        {
            throw new AttributeMismatchException("PE " + pe + " was given " + name + "=" + found + ", PE 0 " + name +
                "=" + expected + ": allowed is the same on all PEs");
        }
    }

    private static String[] values(final JoinRecord record)
    {
        return record.attributes().isEmpty() ? new String[0] : record.attributes().split(SEPARATOR, -1);
    }
}
