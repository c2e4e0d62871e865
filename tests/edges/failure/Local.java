import io.aeroshmem.*;

import java.util.concurrent.atomic.AtomicInteger;

/** A job in one JVM, as in a unit test: PE 1 throws while PE 0 publishes, and PE 2 computes. */
public final class Local
{
    public static void main(final String[] args) throws Exception
    {
        final AtomicInteger handled = new AtomicInteger();
        final Shmem.Context config = new Shmem.Context()
            .transport(TransportKind.valueOf(args[0]))
            .progressMode(ProgressMode.valueOf(args[1]))
            .failureHandler((pe, failure) -> handled.incrementAndGet());
        try
        {
            Shmem.runLocal(3, config, (shmem) ->
            {
                final SymmetricBuffer a = shmem.calloc(16, 8);
                switch (shmem.myPe())
                {
                    case 0:
                        for (long i = 1; true; i++)
                        {
                            shmem.defaultContext().putLong(a, 0, i, 2);
                            shmem.defaultContext().fence();
                        }

                    case 1:
                        Thread.sleep(300);
                        throw new ArithmeticException("by zero");

                    default:
                        while (null == shmem.failure())
                        {
                            Thread.onSpinWait();
                        }
                }
            });
        }
        catch (final ArithmeticException ex)
        {
            Thread.sleep(500);
            System.out.println("ended, handled " + handled);
        }
    }
}
