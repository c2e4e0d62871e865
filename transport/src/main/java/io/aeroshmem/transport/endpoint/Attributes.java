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
package io.aeroshmem.transport.endpoint;

import java.util.Map;

/**
 * The configuration that has to be equal on all PEs: the names of the attributes, and the values of one PE. The order
 * of the names is the same on all PEs of one protocol version. The {@link JoinRecord} of a PE carries its values.
 * <p>
 * Every PE has the records of all PEs, and compares them in the same order. So all PEs detect the same mismatch without
 * a further exchange.
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

    String values()
    {
        return values;
    }

    /** Throws if PEs differ. */
    void check(final JoinRecord[] records)
    {
        final String[] expected = values(records[0]);
        for (final JoinRecord record : records)
        {
            final int found = values(record).length;
            if (found != expected.length)
            {
                throw new AttributeMismatchException("number of attributes must be equal on all PEs (the same" +
                    " AeroSHMEM): PE " + record.pe() + " has " + found + ", PE 0 " + expected.length);
            }
        }

        for (final JoinRecord record : records)
        {
            final String[] found = values(record);
            for (int i = 0; i < names.length; i++)
            {
                check(record.pe(), names[i], found[i], expected[i]);
            }
        }

        checkHeaps(records);
    }

    /** Throws if the heaps of PEs differ in size. */
    static void checkHeaps(final JoinRecord[] records)
    {
        for (final JoinRecord record : records)
        {
            check(record.pe(), HEAP_SIZE, Long.toString(record.heapSize()), Long.toString(records[0].heapSize()));
            check(
                record.pe(),
                "size of the system area",
                Long.toString(record.systemAreaSize()),
                Long.toString(records[0].systemAreaSize()));
        }
    }

    private static void check(final int pe, final String name, final String found, final String expected)
    {
        if (!found.equals(expected))
        {
            throw new AttributeMismatchException(
                name + " must be equal on all PEs: PE " + pe + " has " + found + ", PE 0 has " + expected);
        }
    }

    private static String[] values(final JoinRecord record)
    {
        return record.attributes().isEmpty() ? new String[0] : record.attributes().split(SEPARATOR, -1);
    }
}
