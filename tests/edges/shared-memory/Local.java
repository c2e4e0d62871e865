import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.TransportKind;

/** Two PEs in this JVM, which use the transport of the first argument; prints one line if they cannot join. */
public final class Local
{
    private static final long HEAP_SIZE = 8 << 20;

    private Local()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        final Shmem.Context config =
            new Shmem.Context().transport(TransportKind.valueOf(args[0])).heapSize(HEAP_SIZE);
        try
        {
            Shmem.runLocal(2, config, Shmem::barrierAll);
        }
        catch (final ShmemException ex)
        {
            System.out.println(ex.getMessage());
            System.exit(1);
        }
    }
}
