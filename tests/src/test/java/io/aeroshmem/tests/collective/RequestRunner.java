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
package io.aeroshmem.tests.collective;

import io.aeroshmem.Ordering;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pe;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs cases on one PE, many in flight at once: their requests are made, posted, tested and closed in an order of each
 * PE's own as far as the ordering of their team leaves one, and blocking cases are called meanwhile. Nothing but the
 * cases synchronises PEs, so that they may drift apart: each fills and checks only its own memory, and only outside of
 * calls.
 */
final class RequestRunner
{
    private static final int MAX_IN_FLIGHT = 32;
    private static final long MAX_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(2);
    /** One in as many tests waits. */
    private static final int AWAITED = 4;

    private final Pe pe;
    private final RequestTeams teams;
    /** One of each kind of memory. */
    private final List<ElementMemory> dests;
    private final List<ElementMemory> sources;
    private final SymmetricBuffer words;
    private final long arenaLength;
    private final SplittableRandom random;

    RequestRunner(final Pe pe, final RequestTeams teams, final long maxBytes)
    {
        this.pe = pe;
        this.teams = teams;
        arenaLength = RequestCall.arenaLength(maxBytes);
        dests = ElementMemory.allocate(pe, arenaLength);
        sources = ElementMemory.allocate(pe, arenaLength);
        words = pe.calloc(MAX_IN_FLIGHT, Long.BYTES);
        random = pe.ownRandom();
    }

    /**
     * Frees the memory. Collective; no case is under way.
     */
    void free()
    {
        pe.shmem().free(words);
        sources.forEach((memory) -> pe.shmem().free(memory.buffer()));
        dests.forEach((memory) -> pe.shmem().free(memory.buffer()));
    }

    /**
     * Runs cases of which none is longer than the arena.
     */
    void run(final List<RequestCase> cases)
    {
        final List<RequestCall> calls = new ArrayList<>();
        long used = 0;
        int count = 0;
        for (final RequestCase test : cases)
        {
            final long length = RequestCall.arenaLength(test.maxBytes(pe.n()));
            if (MAX_IN_FLIGHT == count || used + length > arenaLength)
            {
                runTogether(calls);
                calls.clear();
                used = 0;
                count = 0;
            }

            final int[] members = teams.members(test.shape());
            if (null != members)
            {
                final RequestCall call = new RequestCall(pe, test, teams.team(test), members, words, count);
                if (!test.isSynchronising())
                {
                    final long seed = test.seed(pe.seed());
                    call.place(choose(sources, seed), choose(dests, ~seed), used);
                }

                calls.add(call);
            }

            used += length;
            count++;
        }

        runTogether(calls);
    }

    private void runTogether(final List<RequestCall> calls)
    {
        final List<RequestCall> requests = new ArrayList<>(calls);
        requests.removeIf((call) -> call.test().isBlocking());
        final List<RequestCall> blocking = new ArrayList<>(calls);
        blocking.removeAll(requests);

        each(inOrder(requests, Ordering.INIT_ORDERED), "init of ", RequestCall::init);
        final List<RequestCall> posted = new ArrayList<>(requests);
        int time = 0;
        do
        {
            each(posted, "before ", RequestCall::prepare);
            each(inOrder(posted, Ordering.POST_ORDERED), "post of ", this::post);
            if (0 == time)
            {
                // on a PE without requests, too: other members of the team may have some
                each(blocking, "", this::call);
            }

            complete(posted);
            final int times = ++time;
            posted.removeIf((call) -> times == call.test().times());
        }
        while (!posted.isEmpty());
        each(shuffled(requests), "close of ", RequestCall::close);
    }

    private void call(final RequestCall call)
    {
        call.prepare();
        delay(call);
        call.call();
        call.check();
    }

    private void post(final RequestCall call)
    {
        delay(call);
        call.post();
    }

    /** Tests requests at random, and checks each when it is complete, while others are in flight. */
    private void complete(final List<RequestCall> posted)
    {
        final List<RequestCall> inFlight = new ArrayList<>(posted);
        while (!inFlight.isEmpty())
        {
            final int index = random.nextInt(inFlight.size());
            perform(inFlight.get(index), "", (call) ->
            {
                if (call.test(0 == random.nextInt(AWAITED)))
                {
                    call.check();
                    inFlight.remove(index);
                }
            });
            pe.pause();
        }
    }

    private void each(final List<RequestCall> calls, final String what, final Consumer<RequestCall> action)
    {
        calls.forEach((call) -> perform(call, what, action));
    }

    private void perform(final RequestCall call, final String what, final Consumer<RequestCall> action)
    {
        pe.enter(what + "case " + call.test());
        try
        {
            action.accept(call);
        }
        catch (final RuntimeException | Error ex)
        {
            throw new AssertionError(what + call + ": " + ex, ex);
        }
    }

    /**
     * Returns calls in any order in which those of each team that has this ordering, or is ordered both ways, are in
     * the order of the cases.
     */
    private List<RequestCall> inOrder(final List<RequestCall> calls, final Ordering ordering)
    {
        final List<RequestCall> result = shuffled(calls);
        final Map<Team, List<RequestCall>> ordered = new HashMap<>();
        for (final RequestCall call : calls)
        {
            final Ordering ofTeam = call.test().ordering();
            if (ordering == ofTeam || Ordering.INIT_AND_POST_ORDERED == ofTeam)
            {
                ordered.computeIfAbsent(call.team(), (team) -> new ArrayList<>()).add(call);
            }
        }

        result.replaceAll((call) ->
        {
            final List<RequestCall> next = ordered.get(call.team());
            return null == next ? call : next.remove(0);
        });
        return result;
    }

    private List<RequestCall> shuffled(final List<RequestCall> calls)
    {
        final List<RequestCall> result = new ArrayList<>(calls);
        for (int i = result.size() - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            result.set(i, result.set(other, result.get(i)));
        }

        return result;
    }

    /** Chooses memory for an operand: kinds differ within a PE and between PEs. */
    private ElementMemory choose(final List<ElementMemory> memories, final long seed)
    {
        return memories.get((int)Long.remainderUnsigned(Inputs.mix(seed + pe.me()), memories.size()));
    }

    private void delay(final RequestCall call)
    {
        if (call.test().isDelayed() && random.nextBoolean())
        {
            pe.sleep(random.nextLong(MAX_DELAY_NS));
        }
    }
}
