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
package io.aeroshmem.tools.scale;

import io.aeroshmem.transport.ForwardingTransport;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;

/**
 * Transport of a PE of a {@link LargeJob}. Each operation is a message, to a PE of the same host too. It has the
 * operations that a collective's task uses, none of which waits.
 */
final class LinkTransport extends ForwardingTransport
{
    private final LargeJob job;
    private final int source;

    LinkTransport(final LargeJob job, final int source)
    {
        this.job = job;
        this.source = source;
    }

    @Override
    protected Transport next(final int pe)
    {
        throw new UnsupportedOperationException("a polled task waits for no operation");
    }

    @Override
    public boolean isMessaging()
    {
        return true;
    }

    @Override
    public void put(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        job.send(job.pe(source), job.put(pe, region, offset, base, address, length), length);
    }

    @Override
    public void putNbi(final int pe, final int region, final long offset, final long address, final long length)
    {
        put(pe, region, offset, null, address, length);
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        putSignal(pe, Region.USER, 0, null, 0, 0, region, offset, value, signalOperation);
    }

    @Override
    public void putSignal(
        final int pe,
        final int region,
        final long offset,
        final Object base,
        final long address,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        final Message message = job.put(pe, region, offset, base, address, length);
        message.signalAddress = job.address(pe, signalRegion, signalOffset);
        message.value = value;
        message.signalOperation = signalOperation;
        job.send(job.pe(source), message, length + Long.BYTES);
    }

    @Override
    public void getNbi(
        final int pe,
        final int region,
        final long offset,
        final Object dest,
        final long address,
        final long length,
        final Pending pending)
    {
        if (0 == length)
        {
            return;
        }

        final Message message = job.message(Message.GET, pe);
        message.address = job.address(pe, region, offset);
        message.length = length;
        message.dest = dest;
        message.destAddress = address;
        message.pending = pending;
        pending.begin();
        job.send(job.pe(source), message, 0);
    }

    @Override
    public void fence(final int pe)
    {
        // what one PE sends to another arrives in order
    }
}
