import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Two PEs that exchange messages through the driver of aeroshmem.aeron.dir. Prints what a user sees of a rejection, and
 * otherwise the modes of the driver's files while the log buffers of the job exist.
 */
public final class DriverPe
{
    private DriverPe()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        final Shmem.Context template =
            new Shmem.Context().transport(TransportKind.valueOf(args[0])).heapSize(1 << 20);
        try
        {
            Shmem.runLocal(2, template, DriverPe::work);
        }
        catch (final Exception ex)
        {
            Throwable cause = ex;
            while (null != cause.getCause())
            {
                cause = cause.getCause();
            }

            System.out.println("rejected: " + cause);
        }
    }

    private static void work(final Shmem shmem)
    {
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        shmem.defaultContext().putLong(word, 0, 1 + shmem.myPe(), 1 - shmem.myPe());
        shmem.barrierAll();
        if (0 == shmem.myPe())
        {
            System.out.println("received: " + word.getLong(0));
            modes(Path.of(System.getProperty("aeroshmem.aeron.dir"))).forEach(System.out::println);
        }

        shmem.barrierAll();
        shmem.free(word);
    }

    private static List<String> modes(final Path directory)
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.map(DriverPe::mode).collect(Collectors.toList());
        }
        catch (final java.io.IOException ex)
        {
            throw new java.io.UncheckedIOException(ex);
        }
    }

    private static String mode(final Path file)
    {
        try
        {
            return (Files.isDirectory(file) ? "directory " : "file ") +
                Integer.toOctalString((Integer)Files.getAttribute(file, "unix:mode") & 0777) + " " + file;
        }
        catch (final java.io.IOException ex)
        {
            throw new java.io.UncheckedIOException(ex);
        }
    }
}
