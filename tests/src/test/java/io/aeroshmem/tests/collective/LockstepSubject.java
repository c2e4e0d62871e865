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

import io.aeroshmem.Collective;
import io.aeroshmem.Shmem;
import io.aeroshmem.collective.selection.AlgorithmRow;
import io.aeroshmem.collective.selection.AlgorithmTable;
import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.simulation.KnownTraces;
import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.Trace;
import io.aeroshmem.simulation.World;
import io.aeroshmem.tests.fixture.Pe;
import org.junit.jupiter.params.provider.Arguments;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * What a job does in a simulated world: all of it follows from the seed, and what a PE does from its part of it, so
 * that the programs hold no scheduling point of their own.
 */
public enum LockstepSubject
{
    /** Blocking calls of every routine on teams of every shape, by any algorithms. */
    COLLECTIVES(LockstepSubject::collectives),
    /** Requests, persistent ones and blocking calls beside them, on teams of every shape and ordering. */
    REQUESTS(LockstepSubject::requests),
    TEAMS(LockstepPrograms::teams),
    LOCKS(LockstepPrograms::locks),
    MEMORY(LockstepPrograms::memory),
    WORDS(LockstepPrograms::words),
    ACTIVE_SETS(LockstepPrograms::activeSets),
    SHARED(SharedReductions::run),
    UNORDERED(LockstepPrograms::unordered),
    ACCESSES(LockstepPrograms::accesses),
    SLOTS(LockstepPrograms::slots),
    WRAPS(LockstepPrograms::wraps);

    private static final String ALGORITHM_PREFIX = "aeroshmem.algorithm.";
    private static final int MAX_PES = 16;
    private static final int[] FORCED_PES = {2, 3, 5, 8, 4, 7, 16, 6, 1, 9};
    private static final long KNOWN_SEED = 8;
    /** Of so many successive seeds one has many PEs; no multiple of the periods of schedules and parts. */
    private static final int PERIOD = 7;
    private static final int CASES = 16;
    /** Of more than half of {@link #MAX_PES}, which take most of the time. */
    private static final int CASES_OF_MANY = 10;
    private static final long MAX_BYTES = 256 << 10;
    private static final long MAX_LONG_BYTES = 4 << 20;

    private final Consumer<Pe> program;

    LockstepSubject(final Consumer<Pe> program)
    {
        this.program = program;
    }

    private static int cases(final int nPes)
    {
        return nPes > MAX_PES / 2 ? CASES_OF_MANY : CASES;
    }

    private static void collectives(final Pe pe)
    {
        collectives(pe, CasePlan.Kind.COVERING_SMALL, null, MAX_BYTES);
    }

    private static void collectives(final Pe pe, final CasePlan.Kind kind, final Call only, final long maxBytes)
    {
        final List<CollectiveCase> cases = some(
            new CasePlan(kind, (int)(pe.seed() & 0xFFFF), 0, only).cases(pe.n()),
            cases(pe.n()), maxBytes, (test) -> test.maxBytes(pe.n()));
        try (TeamSet teams = new TeamSet(pe))
        {
            final CaseRunner runner = new CaseRunner(pe, teams, maxBytes);
            cases.forEach(runner::run);
            pe.shmem().barrierAll();
            runner.free();
        }
    }

    private static void requests(final Pe pe)
    {
        requests(pe, RequestPlan.Kind.COVERING_SMALL, null, MAX_BYTES);
    }

    private static void requests(
        final Pe pe, final RequestPlan.Kind kind, final Collective only, final long maxBytes)
    {
        final int job = (int)(pe.seed() & 0xFFFF);
        final List<RequestCase> cases = some(
            new RequestPlan(kind, job, 0, only).cases(pe.n()),
            cases(pe.n()), maxBytes, (test) -> test.maxBytes(pe.n()));
        try (RequestTeams teams = new RequestTeams(pe, job, cases))
        {
            final RequestRunner runner = new RequestRunner(pe, teams, maxBytes);
            runner.run(cases);
            pe.shmem().barrierAll();
            runner.free();
        }
    }

    /**
     * Returns the worlds of a test: each subject with successive seeds, by default as many as given, and at least one
     * for each part of the subject.
     */
    static List<Arguments> worlds(final int count)
    {
        return Stream.of(values()).flatMap((subject) -> LongStream.of(Seeds.of(
            SHARED == subject ? Math.max(SharedReductions.PARTS, count) : count))
            .mapToObj((seed) -> Arguments.of(subject, seed))).toList();
    }

    /** Returns the number of PEs that the seed chooses. */
    static int nPes(final long seed)
    {
        final int few = MAX_PES / 2;
        return 1 + new SplittableRandom(seed).nextInt(few) + (0 == Long.remainderUnsigned(seed, PERIOD) ? few : 0);
    }

    /**
     * Runs the subject in a world of the seed.
     *
     * @param setup of the world, such as deaths.
     */
    World run(final long seed, final Consumer<World> setup)
    {
        final World world = new World(seed, nPes(seed));
        setup.accept(world);
        final Shmem.Context context = context(seed);
        if (SHARED == this)
        {
            // so that a member that has posted need not call again
            context.algorithm(algorithmName(Routine.REDUCE), Algorithm.WORK_STEALING.propertyValue())
                .algorithm(algorithmName(Routine.SYNC), Algorithm.FLAT.propertyValue())
                .checkCollectives(false);
        }

        run(world, context, name(), program);
        return world;
    }

    /**
     * Runs the subject in some worlds of a seed, and checks that their traces are the same; those of a seed that never
     * changes also on other JDKs.
     */
    void runAlike(final long seed, final String kind, final Consumer<World> setup)
    {
        final Consumer<World> hashing = setup.andThen(World::hashingSystemAreas);
        KnownTraces.check(kind + "-" + name(), run(KNOWN_SEED, hashing).trace());
        final Trace first = run(seed, hashing).trace();
        for (int i = 1; i < Seeds.repetitions(2); i++)
        {
            final Trace next = run(seed, hashing).trace();
            assertEquals(first.toString(), next.toString(), () -> "seed " + seed);
            assertEquals(first.hash(), next.hash(), () -> "seed " + seed);
        }
    }

    private static void run(
        final World world, final Shmem.Context context, final String name, final Consumer<Pe> program)
    {
        world.run(context, (shmem) ->
        {
            final Pe pe = Pe.of(shmem, world);
            pe.enter(name);
            program.accept(pe);
            world.record(pe.me(), name, 0);
        });
    }

    /** Returns each pair of a routine and an algorithm that the table has. */
    static List<Arguments> algorithms()
    {
        return AlgorithmTable.rows().stream().map((row) -> List.of(row.routine(), row.algorithm())).distinct()
            .map((pair) -> Arguments.of(pair.get(0), pair.get(1))).toList();
    }

    /** Returns the number of PEs of a seed, so that successive seeds have all that matter to algorithms. */
    static int nPesOfForced(final long seed)
    {
        return FORCED_PES[(int)Long.remainderUnsigned(seed, FORCED_PES.length)];
    }

    /**
     * Runs calls of a routine by one algorithm in a world of the seed, with the counts at which algorithms change, and
     * longer ones.
     *
     * @param setup of the world, such as messages.
     */
    static void runForced(
        final long seed,
        final int nPes,
        final Routine routine,
        final Algorithm algorithm,
        final Consumer<World> setup)
    {
        final World world = new World(seed, nPes);
        setup.accept(world);
        final Shmem.Context context = new Shmem.Context()
            .heapSize(3 * MAX_LONG_BYTES)
            .heapSparse(true)
            .algorithm(algorithmName(routine), algorithm.propertyValue());
        // by requests only those that have no blocking routine
        final boolean isBlocking = routine.compareTo(Routine.FAN_IN) < 0;
        run(world, context, routine + " " + algorithm, isBlocking ?
            (pe) -> collectives(pe, CasePlan.Kind.EDGES, Call.valueOf(routine.name()), MAX_LONG_BYTES) :
            (pe) -> requests(pe, RequestPlan.Kind.EDGES, collective(routine), MAX_LONG_BYTES));
    }

    private static Collective collective(final Routine routine)
    {
        return Routine.ROOTED_REDUCE == routine ? Collective.REDUCE : Collective.valueOf(routine.name());
    }

    private static String algorithmName(final Routine routine)
    {
        return routine.algorithmProperty().propertyName().substring(ALGORITHM_PREFIX.length());
    }

    private static Shmem.Context context(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(~seed);
        final Shmem.Context context = new Shmem.Context()
            .heapSize(4 * MAX_BYTES)
            .heapSparse(true)
            .checkCollectives(0 == random.nextInt(4));
        final Map<String, List<Algorithm>> algorithms = new TreeMap<>();
        for (final AlgorithmRow row : AlgorithmTable.rows())
        {
            final String name = algorithmName(row.routine());
            final List<Algorithm> known = algorithms.computeIfAbsent(name, (key) -> new ArrayList<>());
            if (Algorithm.TWO_LEVEL != row.algorithm() && !known.contains(row.algorithm()))
            {
                known.add(row.algorithm());
            }
        }

        algorithms.forEach((name, known) ->
        {
            final int index = random.nextInt(known.size() + 1);
            if (index < known.size())
            {
                context.algorithm(name, known.get(index).propertyValue());
            }
        });
        return context;
    }

    private static <T> List<T> some(
        final List<T> cases, final int count, final long maxBytes, final ToLongFunction<T> bytes)
    {
        return cases.stream().filter((test) -> bytes.applyAsLong(test) <= maxBytes / 4).limit(count).toList();
    }
}
