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

import java.lang.reflect.Proxy;

/**
 * The signals of the operating system, through {@code sun.misc.Signal}, which all JDKs have but none supports.
 */
final class Signals
{
    private Signals()
    {
    }

    /**
     * Has an action run whenever this process gets a signal, instead of what the signal does otherwise. A signal
     * that is ignored, as SIGINT may be in the background of a shell, remains so.
     *
     * @param name   of the signal without SIG.
     * @param action to run, on a thread of the JDK.
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
            // a JVM that lacks it, or needs the signal for itself: the signal does what it does otherwise
            return;
        }
    }
}
