import io.aeroshmem.Shmem;

/** A job that goes on until it is ended. */
public final class Waiter
{
    private Waiter()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        Shmem.init();
        System.out.println("ready");
        Thread.sleep(200_000);
    }
}
