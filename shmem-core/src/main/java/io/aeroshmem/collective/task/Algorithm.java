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
package io.aeroshmem.collective.task;

import java.util.Locale;

/**
 * Names of the algorithms of the collectives. The {@code AlgorithmTable} uses these names. The properties that override
 * the table use the names in lower case.
 */
public enum Algorithm
{
    /** Every member signals every other one directly. */
    FLAT,
    /**
     * In round {@code r} a member signals the one {@code 2^r} ranks after it and waits for the one {@code 2^r} before
     * it.
     */
    DISSEMINATION,
    /** Pairs whose distance doubles in each round exchange what they have. */
    RECURSIVE_DOUBLING,
    /** Up or down a binomial tree. */
    BINOMIAL,
    /** Down a tree in pieces, each passed on while the next one arrives. */
    PIPELINED,
    /** Each member loads what it needs from the memory of the others. */
    DIRECT_READ,
    /** As {@link #DIRECT_READ}; members that wait take over the work of those that do not. */
    WORK_STEALING,
    /** In round {@code r} a member exchanges blocks with the one at distance {@code r}. */
    PAIRWISE,
    /** Blocks travel in {@code log2(n)} rounds, bundled with others that take the same route. */
    BRUCK,
    /** Within each host, and between the leaders of the hosts. */
    TWO_LEVEL;

    private final String propertyValue;

    Algorithm()
    {
        propertyValue = name().toLowerCase(Locale.ROOT);
    }

    /** Returns the name used in properties and documents, such as {@code direct_read}. */
    public String propertyValue()
    {
        return propertyValue;
    }
}
