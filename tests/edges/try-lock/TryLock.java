import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SymmetricBuffer;

import java.util.concurrent.TimeUnit;

/** PE 0 holds a lock, and PE 1 tries for it args[0] times with 1 us; then both use it. */
public class TryLock
{
    private static volatile boolean isExhausted;

    public static void main(final String[] args) throws Exception
    {
        final int tries = Integer.parseInt(args[0]);
        final Shmem.Context context = new Shmem.Context().heapSize(1 << 20).threadFactory((task) ->
        {
            if (isExhausted)
            {
                throw new OutOfMemoryError("unable to create native thread");
            }

            return new Thread(task);
        });
        try (Shmem shmem = Shmem.init(context))
        {
            final SymmetricBuffer lock = shmem.calloc(1, 8);
            if (0 == shmem.myPe())
            {
                shmem.lock(lock, 0);
            }

            shmem.barrierAll();
            isExhausted = true;
            if (1 == shmem.myPe())
            {
                final int before = Thread.activeCount();
                for (int i = 0; i < tries; i++)
                {
                    check(!shmem.tryLock(lock, 0, 1_000), "the lock is held");
                }

                final Thread waiter = new Thread(() -> waitForEver(shmem, lock));
                waiter.start();
                Thread.sleep(100);
                waiter.interrupt();
                waiter.join();
                check(Thread.activeCount() <= before, "threads: " + before + ", then " + Thread.activeCount());
            }

            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                final long start = System.nanoTime();
                shmem.unlock(lock, 0);
                check(shmem.tryLock(lock, 0, TimeUnit.SECONDS.toNanos(5)), "the lock was lost");
                shmem.unlock(lock, 0);
                final long tookUs = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
                System.out.println("unlock, lock and unlock after " + tries + " expired tries: " + tookUs + " us");
                check(tookUs < 250_000, "the expired tries delay the lock");
            }

            shmem.barrierAll();
            if (1 == shmem.myPe())
            {
                check(shmem.testLock(lock, 0), "the lock is free");
                shmem.unlock(lock, 0);
            }

            shmem.barrierAll();
        }
    }

    private static void waitForEver(final Shmem shmem, final SymmetricBuffer lock)
    {
        try
        {
            shmem.lock(lock, 0);
        }
        catch (final ShmemInterruptedException ex)
        {
            return;
        }

        throw new AssertionError("the lock is held");
    }

    private static void check(final boolean isTrue, final String what)
    {
        if (!isTrue)
        {
            throw new AssertionError(what);
        }
    }
}
