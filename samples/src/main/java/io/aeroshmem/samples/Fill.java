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
package io.aeroshmem.samples;

/**
 * A fill, which is an executed trade, as read from one line of a {@link Feed}. If the feed holds only prices, each line
 * counts as one unit bought. The object is reused for each line.
 */
final class Fill
{
    String symbol;
    /** Positive when bought, negative when sold. */
    long quantity;
    /** In 1/10000, see {@link Decimal}. */
    long price;

    Fill()
    {
    }

    /** Returns the size of the trade on either side, greater than 0. */
    long grossQuantity()
    {
        return Math.abs(quantity);
    }

    /** Returns the value of the trade on either side, in 1/10000. */
    long grossValue()
    {
        return Math.multiplyExact(grossQuantity(), price);
    }
}
