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
package io.aeroshmem.samples;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Sample of a work queue. Each PE has a queue of tasks. It takes the tasks of its own queue first, then tasks of the
 * other queues. A PE takes a task by a fetching increment of the queue's head, without action of the PE that owns the
 * queue. The tasks of PE 0 are longer than those of the other PEs, so other PEs take some of them. PE 0 checks that
 * each task was done once and has the right result.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.WorkQueue [tasks of each PE]
 * </pre>
 */
public final class WorkQueue
{
    private static final int TASKS = 5_000;
    private static final int LONG_TASK = 4_000;
    private static final int SHORT_TASK = 500;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final int tasks;
    private final SymmetricBuffer head;
    /** On PE 0: how often each task was done, and its result. */
    private final SymmetricBuffer done;
    private final SymmetricBuffer results;
    private final SampleTimes times;
    private long count;
    private long stolen;

    private WorkQueue(final Shmem shmem, final int tasks)
    {
        this.shmem = shmem;
        this.tasks = tasks;
        ctx = shmem.defaultContext();
        head = shmem.calloc(1, Long.BYTES);
        done = shmem.calloc((long)tasks * shmem.nPes(), Long.BYTES);
        results = shmem.calloc((long)tasks * shmem.nPes(), Long.BYTES);
        times = new SampleTimes(tasks * shmem.nPes());
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 1);
        final int tasks = SampleArguments.number(args, 0, "tasks", TASKS, 500_000);
        Shmem.run(new Shmem.Context(), (shmem) -> System.out.println(work(shmem, tasks)));
    }

    /**
     * Performs all tasks, and returns the share of this PE. Collective over the job.
     *
     * @throws IllegalStateException if a task was not done once, or has a wrong result.
     */
    static String work(final Shmem shmem, final int tasks)
    {
        final WorkQueue queue = new WorkQueue(shmem, tasks);
        for (int i = 0; i < shmem.nPes(); i++)
        {
            queue.empty((shmem.myPe() + i) % shmem.nPes());
        }

        shmem.barrierAll();

        final String report = queue.check();
        shmem.free(queue.results);
        shmem.free(queue.done);
        shmem.free(queue.head);
        return report;
    }

    /** Takes tasks of a PE until it has none left. */
    private void empty(final int owner)
    {
        while (true)
        {
            final long startNs = System.nanoTime();
            final long index = ctx.atomicFetchIncLong(head, 0, owner);
            times.add(System.nanoTime() - startNs);
            if (index >= tasks)
            {
                return;
            }

            final long task = (long)owner * tasks + index;
            ctx.putLong(results, task * Long.BYTES, perform(task, owner), 0);
            ctx.atomicIncLong(done, task * Long.BYTES, 0);
            count++;
            stolen += owner == shmem.myPe() ? 0 : 1;
        }
    }

    private static long perform(final long task, final int owner)
    {
        long value = 1 + task;
        for (int i = 0, n = 0 == owner ? LONG_TASK : SHORT_TASK; i < n; i++)
        {
            value ^= value << 13;
            value ^= value >>> 7;
            value ^= value << 17;
        }

        return value;
    }

    private String check()
    {
        final long all = (long)tasks * shmem.nPes();
        final long total = shmem.world().reduceLong(ReduceOp.SUM, count);
        if (all != total)
        {
            throw new IllegalStateException("all tasks must be done: tasks=" + all + ", done=" + total);
        }

        for (long task = 0; 0 == shmem.myPe() && task < all; task++)
        {
            final long runs = done.getLong(task * Long.BYTES);
            final long expected = perform(task, (int)(task / tasks));
            if (1 != runs || expected != results.getLong(task * Long.BYTES))
            {
                throw new IllegalStateException("task " + task + " must be done once: runs=" + runs + ", result=" +
                    results.getLong(task * Long.BYTES) + ", expected=" + expected);
            }
        }

        return "PE " + shmem.myPe() + ": " + count + " of " + all + " tasks, " + stolen + " stolen; taking a task: " +
            times;
    }
}
