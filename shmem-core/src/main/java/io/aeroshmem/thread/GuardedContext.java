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
 * A communication context whose calls are checked. All of its more than a hundred routines are treated alike, so it is
 * a proxy: written out it would be a thousand lines that say the same, and would have to keep pace with the interface.
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

    /**
     * Check the calls of a context.
     *
     * @param guard   of the PE; null checks nothing.
     * @param context that does the work.
     * @return one that checks, or the same one.
     */
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
