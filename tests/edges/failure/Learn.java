import io.aeroshmem.*;

import java.util.*;

/**
 * Two PEs. PE 0 ends without a word. PE 1 waits for nothing: it loops each call for a second at most, and prints those
 * that never threw, and whether its handler was called while it slept.
 */
public final class Learn
{
    private static final long LOOP_NS = 1_000_000_000L;

    public static void main(final String[] args) throws Exception
    {
        final List<String> handled = Collections.synchronizedList(new ArrayList<>());
        final Shmem shmem = Shmem.init(new Shmem.Context().failureHandler(
            (pe, failure) -> handled.add(failure.getClass().getSimpleName())));
        final CommunicationContext context = shmem.defaultContext();
        final SymmetricBuffer a = shmem.calloc(1024, 8);
        final SymmetricBuffer b = shmem.calloc(1024, 8);
        shmem.barrierAll();
        if (0 == shmem.myPe())
        {
            Runtime.getRuntime().halt(9);
        }

        Thread.sleep(2_000);
        System.out.println("handled " + handled);

        final Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("putQuiet", () ->
        {
            context.putLong(a, 0, 1, 0);
            context.quiet();
        });
        calls.put("putFence", () ->
        {
            context.putLong(a, 0, 1, 0);
            context.fence();
        });
        calls.put("putNbiQuiet", () ->
        {
            context.putNbi(a, 0, b, 0, 4096, 0);
            context.quiet();
        });
        calls.put("getNbiQuiet", () ->
        {
            context.getNbi(b, 0, a, 0, 8, 0);
            context.quiet();
        });
        calls.put("get", () -> context.getLong(a, 0, 0));
        calls.put("iget", () -> context.iget(b, 0, a, 0, 1, 2, 2, 8, 0));
        calls.put("addQuiet", () ->
        {
            context.atomicAddLong(a, 0, 1, 0);
            context.quiet();
        });
        calls.put("fetchAdd", () -> context.atomicFetchAddLong(a, 0, 1, 0));
        calls.put("putSignalFence", () ->
        {
            context.putSignal(a, 0, b, 0, 64, a, 1024, 1, SignalOp.SET, 0);
            context.fence();
        });
        calls.put("session", () ->
        {
            context.sessionStart(SessionOption.BATCH);
            for (int i = 0; i < 100; i++)
            {
                context.atomicAddLong(a, 8L * i, 1, 0);
            }

            context.sessionStop();
        });
        calls.put("test", () -> shmem.testLong(a, 0, Comparison.EQ, 99));
        calls.put("satisfied test", () -> shmem.testLong(a, 0, Comparison.EQ, 0));
        calls.put("satisfied wait", () -> shmem.waitUntilLong(a, 0, Comparison.EQ, 0));
        calls.put("testAny", () -> shmem.testAnyLong(a, 0, 4, null, Comparison.EQ, 0));
        calls.put("signalFetch", () -> shmem.signalFetch(a, 0));
        calls.put("testLock", () ->
        {
            if (shmem.testLock(a, 512))
            {
                shmem.unlock(a, 512);
            }
        });
        calls.put("testQuiet", context::testQuiet);
        calls.put("progress", shmem::progress);
        calls.put("quiet", context::quiet);
        calls.put("fence", context::fence);
        calls.put("createContext", () -> shmem.createContext().close());
        calls.put("failure", () ->
        {
            context.putLong(a, 0, 1, 1);
            if (null != shmem.failure())
            {
                throw shmem.failure();
            }
        });

        calls.forEach((name, call) -> System.out.println(name + ": " + outcome(call)));
        System.out.println("accessible " + shmem.peAccessible(0));
        shmem.close();
    }

    private static String outcome(final Runnable call)
    {
        final long endNs = System.nanoTime() + LOOP_NS;
        while (System.nanoTime() - endNs < 0)
        {
            try
            {
                call.run();
            }
            catch (final PeFailureException ex)
            {
                return "ends";
            }
        }

        return "NEVER";
    }
}
