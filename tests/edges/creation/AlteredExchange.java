import io.aeroshmem.CommunicationContext;
import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamCreationException;
import io.aeroshmem.TeamParams;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;

/**
 * Creates teams by an exchange through files, which one PE a round handles wrongly. All PEs must get a
 * TeamCreationException, and the next creation must work. Argument: a folder for the files.
 */
public final class AlteredExchange
{
    private static final int ROUNDS = 200;
    private static final long LIMIT_NS = 20_000_000_000L;
    private static final String[] HOW = {
        "nothing", "cut", "zeros", "bit", "bit of all", "word", "area", "attempt", "config", "moved", "repeated",
        "earlier", "random", "throws", "error", "none"};

    private final Shmem shmem;
    private final Path folder;
    private int round;
    private String how = "";
    private boolean isWrong;
    private Random random;
    private byte[][] earlier;

    private AlteredExchange(final Shmem shmem, final Path folder)
    {
        this.shmem = shmem;
        this.folder = folder;
    }

    public static void main(final String[] args)
    {
        try (Shmem shmem = Shmem.init())
        {
            new AlteredExchange(shmem, Path.of(args[0])).run();
        }
    }

    private void run()
    {
        final Random shared = new Random(34);
        final SymmetricBuffer memory = shmem.malloc(64);
        final CommunicationContext context = shmem.createContext();
        int failed = 0;
        for (round = 0; round < ROUNDS; round++)
        {
            how = HOW[shared.nextInt(HOW.length)];
            final boolean isBroken = !"none".equals(how);
            isWrong = isBroken && shmem.myPe() == shared.nextInt(shmem.nPes());
            random = new Random(shared.nextLong() + shmem.myPe());
            final TeamCreation creation = shmem.createTeam(new TeamParams().id(7).memory(memory).contexts(context)
                .outOfBand(shmem.myPe(), shmem.nPes(), this::allgather));
            final Team team = await(creation);
            if (isBroken != (null == team))
            {
                throw new AssertionError("round " + round + ", " + how + ": " + team);
            }

            failed += isBroken ? 1 : 0;
            if (null != team)
            {
                check(team.reduceLong(ReduceOp.SUM, 1));
                team.close();
            }

            creation.close();

            // contexts, memory and id are free again, and so is the domain
            final Team next = await(shmem.createTeam(new TeamParams().id(7).memory(memory).contexts(context)));
            check(next.reduceLong(ReduceOp.SUM, 1));
            next.close();
            shmem.barrierAll();
        }

        context.close();
        shmem.free(memory);
        if (0 == shmem.myPe())
        {
            System.out.println("all " + failed + " creations by a broken exchange failed on all PEs");
        }
    }

    private void check(final long sum)
    {
        if (sum != shmem.nPes())
        {
            throw new AssertionError("round " + round + ", " + how + ": " + sum);
        }
    }

    private Team await(final TeamCreation creation)
    {
        final long startNs = System.nanoTime();
        try
        {
            while (!creation.poll())
            {
                if (System.nanoTime() - startNs > LIMIT_NS)
                {
                    throw new AssertionError("round " + round + ", " + how + ": the creation does not end");
                }

                Thread.yield();
            }

            return creation.team();
        }
        catch (final TeamCreationException ex)
        {
            return null;
        }
    }

    private OobRequest allgather(final DirectBuffer source, final MutableDirectBuffer dest, final int length)
    {
        final byte[] own = new byte[length];
        source.getBytes(0, own);
        final int now = round;
        try
        {
            final Path part = folder.resolve("part." + shmem.myPe());
            Files.write(part, own);
            Files.move(part, file(now, shmem.myPe()), StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return () -> isComplete(now, dest, length);
    }

    private Path file(final int now, final int rank)
    {
        return folder.resolve(now + "." + rank);
    }

    private boolean isComplete(final int now, final MutableDirectBuffer dest, final int length)
    {
        final byte[][] records = new byte[shmem.nPes()][];
        for (int rank = 0; rank < records.length; rank++)
        {
            if (!Files.exists(file(now, rank)))
            {
                return false;
            }
        }

        for (int rank = 0; rank < records.length; rank++)
        {
            try
            {
                records[rank] = Files.readAllBytes(file(now, rank));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }

        final byte[][] before = earlier;
        earlier = new byte[records.length][];
        for (int rank = 0; rank < records.length; rank++)
        {
            earlier[rank] = records[rank].clone();
        }

        if (isWrong)
        {
            spoil(records, null == before ? new byte[records.length][length] : before);
        }

        for (int rank = 0; rank < records.length; rank++)
        {
            dest.putBytes(rank * length, records[rank], 0, Math.min(length, records[rank].length));
        }

        return true;
    }

    private void spoil(final byte[][] records, final byte[][] before)
    {
        final int rank = random.nextInt(records.length);
        final byte[] record = records[rank];
        switch (how)
        {
            case "nothing" -> Arrays.setAll(records, (i) -> new byte[0]);
            case "cut" -> records[rank] = Arrays.copyOf(record, random.nextInt(record.length));
            case "zeros" -> records[rank] = new byte[record.length];
            case "bit" -> record[random.nextInt(record.length)] ^= (byte)(1 << random.nextInt(8));
            case "bit of all" ->
            {
                for (final byte[] each : records)
                {
                    each[random.nextInt(each.length)] ^= (byte)(1 << random.nextInt(8));
                }
            }
            case "word" -> spoilWord(record, random.nextInt(record.length / Long.BYTES));
            case "area" -> spoilWord(records[(shmem.myPe() + 1) % records.length], 4);
            case "attempt" -> spoilWord(records[(shmem.myPe() + 1) % records.length], 1);
            case "config" -> spoilWord(records[(shmem.myPe() + 1) % records.length], 6);
            case "moved" -> Collections.swap(Arrays.asList(records), 0, records.length - 1);
            case "repeated" -> Arrays.fill(records, record);
            case "earlier" -> records[rank] = before[rank];
            case "random" -> random.nextBytes(record);
            case "throws" -> throw new IllegalStateException("of the program");
            default -> throw new StackOverflowError("of the program");
        }
    }

    private void spoilWord(final byte[] record, final int word)
    {
        record[word * Long.BYTES + random.nextInt(Long.BYTES)] ^= (byte)(1 + random.nextInt(255));
    }
}
