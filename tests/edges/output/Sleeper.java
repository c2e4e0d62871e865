import io.aeroshmem.Shmem;

/** A job that goes on until it is ended. */
public final class Sleeper
{
    private Sleeper()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        Shmem.init();
        Thread.sleep(120_000);
    }
}
