import io.aeroshmem.*;

/** Barriers, sums and puts for args[0] seconds of the monotonic clock. */
public final class Loop
{
    public static void main(final String[] args) throws Exception
    {
        final long endNs = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Shmem.run(new Shmem.Context(), (shmem) ->
        {
            final SymmetricBuffer a = shmem.calloc(4, 8);
            long rounds = 0;
            for (long go = 1; 1 == go; rounds++)
            {
                shmem.defaultContext().putLong(a, 8, rounds, (shmem.myPe() + 1) % shmem.nPes());
                shmem.barrierAll();
                final long put = a.getLong(8);
                final long sum = shmem.world().reduceLong(ReduceOp.SUM, rounds);
                if (rounds != put || shmem.nPes() * rounds != sum)
                {
                    throw new IllegalStateException("round " + rounds + ": " + put + ", sum " + sum);
                }

                go = shmem.world().broadcastLong(System.nanoTime() - endNs < 0 ? 1 : 0, 0);
                if (0 == rounds)
                {
                    System.out.println("running");
                }

                Thread.sleep(2);
            }
        });
    }
}
