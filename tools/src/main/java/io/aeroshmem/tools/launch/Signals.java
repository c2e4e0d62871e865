/*
 * Copyright 2026 The AeroSHMEM authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.aeroshmem.tools.launch;

import io.aeroshmem.tools.exit.ExitCode;

import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Handlers for signals of the operating system. They use {@code sun.misc.Signal}, which is not a supported API, but is
 * present in the common JDKs. Without it, signals keep their default effects.
 */
final class Signals
{
    /** Exit code of a process that SIGINT ends. */
    static final int INTERRUPTED = ExitCode.SIGNAL_BASE + 2;

    private static final int TERMINATED = ExitCode.SIGNAL_BASE + 15;

    private Signals()
    {
    }

    /**
     * Ends this process on SIGINT and SIGTERM, through its shutdown hooks, after a line that reports the signal, unless
     * the output is not read; {@code onEndingCode}, which must not write, first receives the exit code.
     */
    static void onEnd(final LaunchContext ctx, final IntConsumer onEndingCode)
    {
        on("INT", () -> end(ctx, onEndingCode, "interrupted", INTERRUPTED));
        on("TERM", () -> end(ctx, onEndingCode, "terminated", TERMINATED));
    }

    private static void end(
        final LaunchContext ctx, final IntConsumer onEndingCode, final String how, final int exitCode)
    {
        onEndingCode.accept(exitCode);
        LineOutput.whileEnding(() -> ctx.report(how + "; ending the job"));
        Runtime.getRuntime().exit(exitCode);
    }

    /**
     * Runs an action, on a thread of the JDK, whenever this process receives a signal, instead of its default effect.
     * {@code name} is without SIG. An ignored signal, as SIGINT may be in the background of a shell, stays ignored.
     */
    static void on(final String name, final Runnable action)
    {
        try
        {
            final Class<?> signal = Class.forName("sun.misc.Signal");
            final Class<?> handler = Class.forName("sun.misc.SignalHandler");
            final Object proxy = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[]{ handler },
                (self, method, arguments) ->
                {
                    if (Object.class == method.getDeclaringClass())
                    {
                        return method.invoke(action, arguments);
                    }

                    action.run();
                    return null;
                });
            signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        }
        catch (final ReflectiveOperationException ex)
        {
            // the JVM lacks the class, or uses the signal itself: the default effect remains
            return;
        }
    }
}
