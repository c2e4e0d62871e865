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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.Teams2d;

/**
 * Sample of a stencil in two dimensions: heat spreads over a plate, whose upper edge is hot.
 * <p>
 * The PEs form a grid, made by {@code split2d}: the teams of a PE's row and column give its place and its neighbours.
 * In each step a PE puts the edges of its block into the blocks of its neighbours, and waits for their edges. Rows
 * travel by put with signal, columns by a strided put and a signal. No barrier separates the steps. Each PE also
 * computes the whole plate alone, and compares its block with that result, bit for bit.
 * <p>
 * Two copies of the block alternate, so no edge is overwritten before it has been read: a neighbour writes to the same
 * copy two steps later, after the edge that this PE sends in between, once it has read the copy.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.HeatStencil [steps [side of a block]]
 * </pre>
 */
public final class HeatStencil
{
    private static final int STEPS = 2_000;
    private static final int SIDE = 64;
    private static final double HOT = 100;
    private static final double RATE = 0.2;
    private static final int NORTH = 0;
    private static final int SOUTH = 1;
    private static final int WEST = 2;
    private static final int EAST = 3;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final int side;
    private final int xLength;
    private final int yLength;
    private final int x;
    private final int y;
    /** PE of each neighbour, or -1. */
    private final int[] neighbours;
    private final SymmetricBuffer[] blocks = new SymmetricBuffer[2];
    private final SymmetricBuffer signals;

    private HeatStencil(final Shmem shmem, final int side)
    {
        this.shmem = shmem;
        this.side = side;
        ctx = shmem.defaultContext();
        xLength = divisor(shmem.nPes());
        yLength = shmem.nPes() / xLength;
        try (Teams2dHandle teams = new Teams2dHandle(shmem.world().split2d(xLength)))
        {
            x = teams.row().myPe();
            y = teams.column().myPe();
            final Team world = shmem.world();
            neighbours = new int[]{
                teams.column().translatePe(y - 1, world), teams.column().translatePe(y + 1, world),
                teams.row().translatePe(x - 1, world), teams.row().translatePe(x + 1, world)};
        }

        blocks[0] = shmem.calloc((long)(side + 2) * (side + 2), Double.BYTES);
        blocks[1] = shmem.calloc((long)(side + 2) * (side + 2), Double.BYTES);
        signals = shmem.calloc(4, Long.BYTES);
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 2);
        final int steps = SampleArguments.number(args, 0, "steps", STEPS, 10_000_000);
        final int side = SampleArguments.number(args, 1, "side", SIDE, 1_024);
        Shmem.run(new Shmem.Context(), (shmem) -> System.out.println(spread(shmem, steps, side)));
    }

    /**
     * Computes the steps, and returns the times of this PE. Collective over the job.
     *
     * @throws IllegalStateException if a value differs from that of the plate computed alone.
     */
    static String spread(final Shmem shmem, final int steps, final int side)
    {
        final HeatStencil stencil = new HeatStencil(shmem, side);
        final SampleTimes times = new SampleTimes(steps);
        stencil.heatUpperEdge();
        shmem.barrierAll();
        for (int step = 1; step <= steps; step++)
        {
            final long startNs = System.nanoTime();
            stencil.exchange(step);
            stencil.compute(step);
            times.add(System.nanoTime() - startNs);
        }

        stencil.check(steps);

        shmem.free(stencil.signals);
        shmem.free(stencil.blocks[1]);
        shmem.free(stencil.blocks[0]);
        return "PE " + shmem.myPe() + " at (" + stencil.x + ", " + stencil.y + ") of (" + stencil.xLength + ", " +
            stencil.yLength + "): " + steps + " steps of " + side + " x " + side + " points, " + times;
    }

    private void heatUpperEdge()
    {
        for (int column = 0; 0 == y && column < side + 2; column++)
        {
            blocks[0].putDouble(at(0, column), HOT);
            blocks[1].putDouble(at(0, column), HOT);
        }
    }

    /** Offset of a point; row 0, row side + 1 and the columns likewise are those of the neighbours. */
    private long at(final int row, final int column)
    {
        return ((long)row * (side + 2) + column) * Double.BYTES;
    }

    private void exchange(final int step)
    {
        final SymmetricBuffer block = blocks[step & 1];
        putRow(block, 1, side + 1, NORTH, SOUTH, step);
        putRow(block, side, 0, SOUTH, NORTH, step);
        putColumn(block, 1, side + 1, WEST, EAST, step);
        putColumn(block, side, 0, EAST, WEST, step);
        for (int direction = NORTH; direction <= EAST; direction++)
        {
            if (neighbours[direction] >= 0)
            {
                shmem.signalWaitUntil(signals, (long)direction * Long.BYTES, Comparison.GE, step);
            }
        }
    }

    /** Puts a row of the block into that of the neighbour, to which this PE is in the opposite direction. */
    private void putRow(
        final SymmetricBuffer block,
        final int row,
        final int rowThere,
        final int direction,
        final int opposite,
        final int step)
    {
        if (neighbours[direction] >= 0)
        {
            ctx.putSignal(
                block, at(rowThere, 1), block, at(row, 1), (long)side * Double.BYTES,
                signals, (long)opposite * Long.BYTES, step, SignalOp.SET, neighbours[direction]);
        }
    }

    private void putColumn(
        final SymmetricBuffer block,
        final int column,
        final int columnThere,
        final int direction,
        final int opposite,
        final int step)
    {
        if (neighbours[direction] >= 0)
        {
            final int stride = side + 2;
            ctx.iput(
                block, at(1, columnThere), block, at(1, column), stride, stride, side, Double.BYTES,
                neighbours[direction]);
            ctx.fence(neighbours[direction]);
            ctx.signal(signals, (long)opposite * Long.BYTES, step, SignalOp.SET, neighbours[direction]);
        }
    }

    private void compute(final int step)
    {
        final SymmetricBuffer from = blocks[step & 1];
        final SymmetricBuffer to = blocks[1 - (step & 1)];
        for (int row = 1; row <= side; row++)
        {
            for (int column = 1; column <= side; column++)
            {
                to.putDouble(at(row, column), next(
                    from.getDouble(at(row, column)),
                    from.getDouble(at(row - 1, column)),
                    from.getDouble(at(row + 1, column)),
                    from.getDouble(at(row, column - 1)),
                    from.getDouble(at(row, column + 1))));
            }
        }
    }

    private static double next(
        final double centre, final double north, final double south, final double west, final double east)
    {
        return centre + RATE * (north + south + (west + east) - 4 * centre);
    }

    /** Compares the block with that of a plate that this PE computes alone. */
    private void check(final int steps)
    {
        final int rows = yLength * side + 2;
        final int columns = xLength * side + 2;
        double[][] plate = new double[rows][columns];
        double[][] nextPlate = new double[rows][columns];
        for (int column = 0; column < columns; column++)
        {
            plate[0][column] = HOT;
            nextPlate[0][column] = HOT;
        }

        for (int step = 1; step <= steps; step++)
        {
            for (int row = 1; row < rows - 1; row++)
            {
                for (int column = 1; column < columns - 1; column++)
                {
                    nextPlate[row][column] = next(
                        plate[row][column], plate[row - 1][column], plate[row + 1][column],
                        plate[row][column - 1], plate[row][column + 1]);
                }
            }

            final double[][] last = plate;
            plate = nextPlate;
            nextPlate = last;
        }

        for (int row = 1; row <= side; row++)
        {
            for (int column = 1; column <= side; column++)
            {
                final double value = blocks[steps + 1 & 1].getDouble(at(row, column));
                final double expected = plate[y * side + row][x * side + column];
                if (value != expected)
                {
                    throw new IllegalStateException("the plate must be the one computed alone: row=" + row +
                        ", column=" + column + ", value=" + value + ", expected=" + expected);
                }
            }
        }
    }

    /** Returns the largest divisor of the number of PEs up to its root. */
    private static int divisor(final int number)
    {
        int divisor = (int)Math.sqrt(number);
        while (0 != number % divisor)
        {
            divisor--;
        }

        return divisor;
    }

    /** The teams of the PE's row and column, closed together. */
    private record Teams2dHandle(Teams2d teams) implements AutoCloseable
    {
        private Team row()
        {
            return teams.xAxis();
        }

        private Team column()
        {
            return teams.yAxis();
        }

        @Override
        public void close()
        {
            teams.xAxis().close();
            teams.yAxis().close();
        }
    }
}
