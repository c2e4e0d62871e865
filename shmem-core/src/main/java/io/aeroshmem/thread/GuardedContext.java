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
package io.aeroshmem.thread;

import io.aeroshmem.CommunicationContext;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The handler of a dynamic proxy of a communication context: checks each call with the {@link ThreadGuard}, and passes
 * it on. It replaces more than a hundred methods that would all do the same.
 */
public final class GuardedContext implements InvocationHandler
{
    private final ThreadGuard guard;
    private final CommunicationContext context;

    private GuardedContext(final ThreadGuard guard, final CommunicationContext context)
    {
        this.guard = guard;
        this.context = context;
    }

    /** Returns a context that checks its calls, or the same one if the guard is null. */
    public static CommunicationContext of(final ThreadGuard guard, final CommunicationContext context)
    {
        if (null == guard)
        {
            return context;
        }

        return (CommunicationContext)Proxy.newProxyInstance(
            CommunicationContext.class.getClassLoader(),
            new Class<?>[]{CommunicationContext.class},
            new GuardedContext(guard, context));
    }

    /** Returns the context whose calls this one checks, or the same one if it checks none. */
    public static CommunicationContext unguarded(final CommunicationContext context)
    {
        return Proxy.isProxyClass(context.getClass()) &&
            Proxy.getInvocationHandler(context) instanceof final GuardedContext guarded ? guarded.context : context;
    }

    @Override
    public Object invoke(final Object proxy, final Method method, final Object[] arguments) throws Throwable
    {
        if (Object.class == method.getDeclaringClass())
        {
            return "equals".equals(method.getName()) ? proxy == arguments[0] : perform(method, arguments);
        }

        guard.enter("CommunicationContext." + method.getName());
        try
        {
            return perform(method, arguments);
        }
        finally
        {
            guard.leave();
        }
    }

    private Object perform(final Method method, final Object[] arguments) throws Throwable
    {
        try
        {
            return method.invoke(context, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }
}
