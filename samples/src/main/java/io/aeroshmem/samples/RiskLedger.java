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

import io.aeroshmem.Shmem;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Sample of a risk ledger that all PEs share. Each PE reads its part of a CSV file of fills or prices (see
 * {@link Feed}), and books each line as a fill, by atomic operations. Each instrument has a row in the ledger, which
 * may be on any PE. A PE that makes the gross value of an instrument exceed the limit raises an alarm on PE 0. At the
 * end PE 0 prints a report.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.RiskLedger
 *     [--limit AMOUNT] [--device N | --retained] [--pace MICROSECONDS] [--verify | --sequential] FILE
 * </pre>
 * {@code --device} books into positions in the memory of GPUs ({@link DeviceLedger}), {@code --retained} into retained
 * memory ({@link RetainedLedger}), so that any PE may be killed in a job of {@code aeroshmem run --recover}.
 * {@code --pace} is the time between two fills, 0 by default. {@code --verify} books the file again on one thread, and
 * ends with exit code 1 if the two reports differ. {@code --sequential} books it on one thread only, without SHMEM.
 */
public final class RiskLedger
{
    static final String DEFAULT_LIMIT = "1000000";
    static final String VERIFIED = "verified: a sequential run reports the same";

    private static final String USAGE =
        "usage: RiskLedger [--limit AMOUNT] [--device N | --retained] [--pace MICROSECONDS]" +
        " [--verify | --sequential] FILE";
    private static final int NO_DEVICE = -1;

    private long limit = Decimal.parse(DEFAULT_LIMIT);
    private int device = NO_DEVICE;
    private boolean isRetained;
    private long paceNs;
    private boolean isVerifying;
    private boolean isSequential;
    private Path file;

    private RiskLedger(final String[] args)
    {
        final Deque<String> rest = new ArrayDeque<>(Arrays.asList(args));
        while (!rest.isEmpty())
        {
            final String arg = rest.remove();
            if ("--limit".equals(arg) && !rest.isEmpty())
            {
                limit = Decimal.parse(rest.remove());
            }
            else if ("--device".equals(arg) && !rest.isEmpty())
            {
                device = parse("device", "[0-9]{1,3}", rest.remove());
            }
            else if ("--retained".equals(arg))
            {
                isRetained = true;
            }
            else if ("--pace".equals(arg) && !rest.isEmpty())
            {
                paceNs = TimeUnit.MICROSECONDS.toNanos(parse("pace", "[0-9]{1,7}", rest.remove()));
            }
            else if ("--verify".equals(arg))
            {
                isVerifying = true;
            }
            else if ("--sequential".equals(arg))
            {
                isSequential = true;
            }
            else if (arg.startsWith("--") || null != file)
            {
                throw new IllegalArgumentException("unexpected argument '" + arg + "'; " + USAGE);
            }
            else
            {
                file = Path.of(arg);
            }
        }

        if (isRetained && NO_DEVICE != device)
        {
            throw new IllegalArgumentException("--device and --retained exclude each other; " + USAGE);
        }

        if (null == file)
        {
            throw new IllegalArgumentException("FILE must be specified; " + USAGE);
        }
    }

    private static int parse(final String name, final String digits, final String text)
    {
        if (!text.matches(digits))
        {
            throw new IllegalArgumentException(
                name + " must be a number from 0: --" + name + '=' + text + "; " + USAGE);
        }

        return Integer.parseInt(text);
    }

    /** Books a file, see the class comment for the arguments. */
    public static void main(final String[] args) throws Exception
    {
        final RiskLedger ledger;
        final Feed feed;
        try
        {
            ledger = new RiskLedger(args);
            feed = new Feed(ledger.file);
        }
        catch (final IllegalArgumentException ex)
        {
            SampleArguments.end(ex.getMessage());
            return;
        }
        catch (final IOException ex)
        {
            SampleArguments.end("cannot read the file: " + ex);
            return;
        }

        if (ledger.isSequential)
        {
            System.out.print(SequentialLedger.run(feed, ledger.limit));
            return;
        }

        final boolean[] isRight = { true };
        Shmem.run(new Shmem.Context(), (shmem) -> isRight[0] = ledger.run(shmem, feed));
        if (!isRight[0])
        {
            System.exit(1);
        }
    }

    private boolean run(final Shmem shmem, final Feed feed) throws IOException
    {
        if (NO_DEVICE != device && !SampleDevice.isOnAllHosts(shmem, device))
        {
            return false;
        }

        final Report report = isRetained ? new RetainedLedger(shmem, feed, limit, paceNs).run() :
            NO_DEVICE == device ?
            new SharedLedger(shmem, feed, limit).run() : DeviceLedger.run(shmem, device, feed, limit);
        if (null == report)
        {
            return true;
        }

        System.out.print(report);
        if (!isVerifying)
        {
            return true;
        }

        final boolean isEqual = report.toString().equals(SequentialLedger.run(feed, limit).toString());
        System.out.println(isEqual ? VERIFIED : "DIFFERENT from the report of a sequential run");
        return isEqual;
    }
}
