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

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The handler of a dynamic proxy, of a communication context for example: checks each call with the
 * {@link ThreadGuard}, and passes it on. It replaces more than a hundred methods that would all do the same.
 */
public final class GuardedProxy implements InvocationHandler
{
    private final ThreadGuard guard;
    private final String name;
    private final Object target;

    private GuardedProxy(final ThreadGuard guard, final String name, final Object target)
    {
        this.guard = guard;
        this.name = name;
        this.target = target;
    }

    /**
     * Returns an object that checks its calls, or the same one if the guard is null.
     *
     * @param type an interface that the target implements.
     */
    public static <T> T of(final ThreadGuard guard, final Class<T> type, final T target)
    {
        return null == guard ? target : type.cast(Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[]{type}, new GuardedProxy(guard, type.getSimpleName() + ".", target)));
    }

    /** Returns the object whose calls this one checks, or the same one if it checks none. */
    public static Object unguarded(final Object object)
    {
        return Proxy.isProxyClass(object.getClass()) &&
            Proxy.getInvocationHandler(object) instanceof final GuardedProxy guarded ? guarded.target : object;
    }

    @Override
    public Object invoke(final Object proxy, final Method method, final Object[] arguments) throws Throwable
    {
        if (Object.class == method.getDeclaringClass())
        {
            return "equals".equals(method.getName()) ? proxy == arguments[0] : perform(method, arguments);
        }

        guard.enter(name + method.getName());
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
            return method.invoke(target, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }
}
