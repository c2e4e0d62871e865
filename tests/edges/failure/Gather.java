import io.aeroshmem.*;

/** Joins a job of which a PE never comes, and prints the cause of the end. */
public final class Gather
{
    public static void main(final String[] args)
    {
        System.out.println("joining");
        try (Shmem shmem = Shmem.init())
        {
            System.out.println("joined");
        }
        catch (final BootstrapException ex)
        {
            final Throwable cause = ex.getCause();
            System.out.println("cause " + cause.getClass().getSimpleName() +
                (cause instanceof PeFailureException failure ? " of PE " + failure.pe() : ""));
        }
    }
}
