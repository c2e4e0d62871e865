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
package io.aeroshmem.config;

import io.aeroshmem.ProgressMode;
import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;
import org.agrona.concurrent.IdleStrategy;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The table of configuration properties. A property is given as a Java system property ({@code aeroshmem.heap.size}),
 * else as an environment variable ({@code AEROSHMEM_HEAP_SIZE}), else it has its default. All are read when a
 * {@link io.aeroshmem.Shmem.Context} is made.
 */
public enum ShmemProperty
{
    /** Size of the symmetric heap. */
    HEAP_SIZE("heap.size", Type.SIZE, "64m", 4096, Long.MAX_VALUE,
        "Size of each PE's symmetric heap. It is reserved in full when the PE starts. Above 2 GiB - 1 the JVM needs" +
        " `--add-opens java.base/sun.nio.ch=ALL-UNNAMED`."),

    /** Whether the heap's file is sparse. */
    HEAP_SPARSE("heap.sparse", Type.BOOLEAN, "false",
        "Leaves the heap's pages to be supplied on first touch instead of reserving them. Starts quickly, but if the" +
        " file system runs out of space later, the JVM is killed by SIGBUS."),

    /** Root of job directories. */
    SHM_DIR("shm.dir", Type.DIRECTORY, "a directory on a memory file system", "`/dev/shm`, else `java.io.tmpdir`",
        "Where the directories of jobs are made, which hold the heaps and the control files."),

    /** Which way operations take to a peer. */
    TRANSPORT("transport", TransportKind.class, "auto",
        "Which way operations take to a peer: loads and stores to its mapped heap, Aeron IPC or Aeron UDP messages;" +
        " `auto` maps where it can and uses UDP elsewhere."),

    /** Node that a PE counts itself to. */
    NODE_NAME("node.name", Type.NAME, "up to " + ShmemProperty.MAX_NAME_LENGTH + " characters", "the name of the host",
        "The node that a PE counts itself to. PEs on different nodes do not map each other and are in different NODE" +
        " teams. Set it where containers of one host name do not share a memory file system."),

    /** Where the PEs of a job meet. */
    RENDEZVOUS("rendezvous", Type.NAME, "`host`, `host:port` or `[IPv6 address]:port`", "what the scheduler tells",
        "Where the PEs of a job meet that [a scheduler](bootstraps/environment.md) started: an address of the host of" +
        " PE 0, which listens there. Without a port it follows from the job."),

    /** What the PEs of a job know and others do not. */
    RENDEZVOUS_SECRET("rendezvous.secret", Type.SECRET, "16 characters or more",
        "what the scheduler tells",
        "What a process must know to join a job that [a scheduler](bootstraps/environment.md) started. Give it by the" +
        " environment variable: the command line of a process is open to all users of its host."),

    /** Where PE 0 listens. */
    RENDEZVOUS_INTERFACE("rendezvous.interface", Type.NAME, "an IP address or a subnet such as 10.0.0.0/24",
        "the first address of the host that is not loopback",
        "The network interface on which the maker of an id listens for the other PEs."),

    /** Whether init leaves memory and connections to the first call that needs them. */
    DELAYED_INIT("init.delayed", Type.BOOLEAN, "false",
        "Lets init return when the PEs know each other, before they have memory and are connected: the first call" +
        " that allocates, or that synchronises all PEs, does the rest."),

    /** How threads may call. */
    THREAD_LEVEL("thread.level", ThreadLevel.class, "multiple",
        "How the threads of a PE may call the library."),

    /** Whether calls are checked against the thread level. */
    CHECK_THREADS("check.threads", Type.BOOLEAN, "false",
        "Throws IllegalStateException where a thread calls the library that the thread level does not allow to, or" +
        " while it does not."),

    /** Who drives progress. */
    PROGRESS_MODE("progress.mode", ProgressMode.class, "agent",
        "Who moves one-sided operations while no call is blocked: a background thread, or the application through" +
        " `Shmem.progress()`."),

    /** Idle strategy of the background thread. */
    IDLE_STRATEGY("idle.strategy", Type.IDLE_STRATEGY, "auto",
        "What the background thread does when it has no work; `auto` looks at the number of processors."),

    /** Idle strategy of blocked callers. */
    WAIT_IDLE_STRATEGY("wait.idle.strategy", Type.IDLE_STRATEGY, "auto",
        "What a blocked caller does between two looks at its condition; `auto` spins if there is a processor for each" +
        " busy thread, else spins briefly, yields, and parks after a while."),

    /** Directory of a media driver. */
    AERON_DIR("aeron.dir", Type.DIRECTORY, "the directory of a running media driver", "the job's own driver",
        "The media driver to use for IPC and UDP. By default the launcher embeds one, or the first PE that needs one" +
        " starts it."),

    /** Limit of blocking operations. */
    OPERATION_TIMEOUT("operation.timeout", Type.DURATION, "0s", 0, Long.MAX_VALUE,
        "After which time a blocking call throws ShmemTimeoutException; `0s` is never. Waits and locks have no limit" +
        " but the one passed to them."),

    /** Limit of joining. */
    JOIN_TIMEOUT("join.timeout", Type.DURATION, "60s", 1_000_000L, Long.MAX_VALUE,
        "How long a PE that starts waits for the other PEs of its job."),

    /** How long a PE may be silent. */
    LIVENESS_TIMEOUT("liveness.timeout", Type.DURATION, "10s", 1_000_000_000L, 3_600_000_000_000L,
        "After which silence a PE that has not died is given up. Death on the same host is noticed within a second," +
        " whatever is set here."),

    /** Number of teams. */
    MAX_TEAMS("teams.max", Type.NUMBER, "4096", 1, 65536,
        "How many teams a PE can belong to at once, besides the predefined ones."),

    /** Whether collectives are compared. */
    CHECK_COLLECTIVES("check.collectives", Type.BOOLEAN, "false",
        "Compares on every collective what each PE called, and throws CollectiveMismatchException if they differ."),

    /** Algorithm of broadcast. */
    ALGORITHM_BROADCAST("broadcast"),

    /** Algorithm of collect and fcollect. */
    ALGORITHM_COLLECT("collect"),

    /** Algorithm of alltoall. */
    ALGORITHM_ALLTOALL("alltoall"),

    /** Algorithm of alltoalls. */
    ALGORITHM_ALLTOALLS("alltoalls"),

    /** Algorithm of reduce. */
    ALGORITHM_REDUCE("reduce"),

    /** Algorithm of reduceScatter. */
    ALGORITHM_REDUCE_SCATTER("reduce_scatter"),

    /** Algorithm of inclusiveScan and exclusiveScan. */
    ALGORITHM_SCAN("scan"),

    /** Algorithm of barrier and sync. */
    ALGORITHM_BARRIER("barrier"),

    /** Whether latencies are recorded. */
    RECORD_LATENCY("latency.record", Type.BOOLEAN, "false",
        "Records the latency of each collective in a histogram, from the start; `Shmem.recordLatency` switches it on" +
        " and off later."),

    /** Where latencies are written. */
    LATENCY_DIR("latency.dir", Type.DIRECTORY, "a directory, made if it is missing", "the working directory",
        "Where each PE writes its recorded latencies: `aeroshmem-peN.hlog` and `aeroshmem-peN.<tag>.hgrm`, which" +
        " replace those of an earlier job."),

    /** Interval of the log of latencies. */
    LATENCY_INTERVAL("latency.interval", Type.DURATION, "1s", 1_000_000L, 3_600_000_000_000L,
        "How much time the lines of one interval in the log of latencies stand for."),

    /** Interface for UDP. */
    UDP_INTERFACE("udp.interface", Type.NAME, "an IP address or a subnet such as 10.0.0.0/24",
        "`127.0.0.1`; in a job over several nodes the address of the way to the rendezvous",
        "The network interface for Aeron UDP."),

    /** MTU for UDP. */
    UDP_MTU("udp.mtu", Type.SIZE, "0", 0, 65504,
        "Largest UDP payload, a multiple of 32. 0: 8k on the loopback interface, else 1408."),

    /** MTU for IPC. */
    IPC_MTU("ipc.mtu", Type.SIZE, "8k", 1024, 65504,
        "Largest IPC frame, a multiple of 32."),

    /** Term length of the streams. */
    TERM_LENGTH("term.length", Type.SIZE, "1m", 64 << 10, 1 << 30,
        "Length of a term buffer of an Aeron stream, a power of two; each stream has three.");

    /**
     * Most characters of a name.
     */
    public static final int MAX_NAME_LENGTH = 128;

    private static final Set<ShmemProperty> COMMON = EnumSet.of(
        HEAP_SIZE,
        RENDEZVOUS,
        RENDEZVOUS_SECRET,
        DELAYED_INIT,
        LIVENESS_TIMEOUT,
        MAX_TEAMS,
        CHECK_COLLECTIVES,
        ALGORITHM_BROADCAST,
        ALGORITHM_COLLECT,
        ALGORITHM_ALLTOALL,
        ALGORITHM_ALLTOALLS,
        ALGORITHM_REDUCE,
        ALGORITHM_REDUCE_SCATTER,
        ALGORITHM_SCAN,
        ALGORITHM_BARRIER,
        UDP_MTU,
        IPC_MTU,
        TERM_LENGTH);
    private static final int MTU_STEP = 32;
    private static final int MIN_MTU = 1024;

    private final String propertyName;
    private final String environmentName;
    private final Type type;
    private final String defaultText;
    private final String allowed;
    private final long min;
    private final long max;
    private final String description;

    /** Algorithm of a routine. */
    ShmemProperty(final String routine)
    {
        this(
            "algorithm." + routine,
            Type.TEXT,
            "`auto` or a name of [the table](algorithms.md)",
            "auto",
            "Which algorithm of " + routine + " to use wherever it is able to; elsewhere, and with `auto`, the table" +
            " decides by the size of the team and of the blocks.");
    }

    /** A property without a range. */
    ShmemProperty(final String suffix, final Type type, final String defaultText, final String description)
    {
        this(suffix, type, defaultText, type.syntax, 0, Long.MAX_VALUE, description);
    }

    /** A size, a duration or a number with a range. */
    ShmemProperty(
        final String suffix,
        final Type type,
        final String defaultText,
        final long min,
        final long max,
        final String description)
    {
        this(suffix, type, defaultText, type.syntax + range(min, max, type), min, max, description);
    }

    /** One of an enum's constants. */
    ShmemProperty(
        final String suffix, final Class<? extends Enum<?>> choices, final String defaultText, final String description)
    {
        this(suffix, Type.CHOICE, defaultText, PropertyParser.choices(choices), 0, Long.MAX_VALUE, description);
    }

    /** Text, a name or a directory. */
    ShmemProperty(
        final String suffix, final Type type, final String allowed, final String defaultText, final String description)
    {
        this(suffix, type, defaultText, allowed, 0, Long.MAX_VALUE, description);
    }

    ShmemProperty(
        final String suffix,
        final Type type,
        final String defaultText,
        final String allowed,
        final long min,
        final long max,
        final String description)
    {
        this.propertyName = "aeroshmem." + suffix;
        this.environmentName = propertyName.replace('.', '_').toUpperCase(Locale.ROOT);
        this.type = type;
        this.defaultText = defaultText;
        this.allowed = allowed;
        this.min = min;
        this.max = max;
        this.description = description;
    }

    /**
     * The name of the Java system property.
     *
     * @return such as {@code aeroshmem.heap.size}.
     */
    public String propertyName()
    {
        return propertyName;
    }

    /**
     * The name of the environment variable.
     *
     * @return such as {@code AEROSHMEM_HEAP_SIZE}.
     */
    public String environmentName()
    {
        return environmentName;
    }

    /**
     * What kind of value it has.
     *
     * @return the type.
     */
    public Type type()
    {
        return type;
    }

    /**
     * The value where nothing is given; for a {@link Type#DIRECTORY}, a {@link Type#NAME} and a {@link Type#SECRET} a
     * description of it.
     *
     * @return as text.
     */
    public String defaultText()
    {
        return defaultText;
    }

    /**
     * Which values are allowed.
     *
     * @return in words.
     */
    public String allowed()
    {
        return allowed;
    }

    /**
     * Whether all PEs of a job must have the same value.
     *
     * @return true if different values fail the job in init.
     */
    public boolean isCommon()
    {
        return COMMON.contains(this);
    }

    /**
     * What it does.
     *
     * @return one or two sentences, in Markdown.
     */
    public String description()
    {
        return description;
    }

    /**
     * Whether a system property or an environment variable gives it.
     *
     * @return false if it has its default.
     */
    public boolean isGiven()
    {
        return null != given(System::getProperty, System::getenv).text;
    }

    /**
     * The value as text.
     *
     * @return what is given, else the default; null for a {@link Type#DIRECTORY}, a {@link Type#NAME} and a
     *     {@link Type#SECRET} where nothing is given.
     */
    public String text()
    {
        final String text = given(System::getProperty, System::getenv).text;
        return null != text || type.isDefaultInWords() ? text : defaultText;
    }

    /**
     * The value as it may be shown to people.
     *
     * @return what is given, else the default, if need be in words; of a {@link Type#SECRET} only whether it is given.
     */
    public String shownText()
    {
        if (Type.SECRET == type)
        {
            return isGiven() ? "set" : "unset";
        }

        return isGiven() ? text() + " (set)" : defaultText.replace("`", "");
    }

    /**
     * The value of a {@link Type#SIZE} in bytes, a {@link Type#DURATION} in nanoseconds, or a {@link Type#NUMBER}.
     *
     * @return the value.
     * @throws IllegalArgumentException if what is given cannot be parsed or is out of range.
     */
    public long longValue()
    {
        final Given given = given(System::getProperty, System::getenv);
        return null == given.text ? parseLong(propertyName, defaultText) : parseLong(given.source, given.text);
    }

    /**
     * The value of a {@link Type#BOOLEAN}.
     *
     * @return the value.
     * @throws IllegalArgumentException if what is given cannot be parsed.
     */
    public boolean booleanValue()
    {
        require(Type.BOOLEAN);
        final Given given = given(System::getProperty, System::getenv);
        return PropertyParser.bool(given.source, null == given.text ? defaultText : given.text);
    }

    /**
     * The value of a {@link Type#CHOICE}.
     *
     * @param <E>     the enum.
     * @param choices the enum.
     * @return the constant.
     * @throws IllegalArgumentException if what is given is no constant of it.
     */
    public <E extends Enum<E>> E choice(final Class<E> choices)
    {
        require(Type.CHOICE);
        final Given given = given(System::getProperty, System::getenv);
        return PropertyParser.choice(choices, given.source, null == given.text ? defaultText : given.text);
    }

    /**
     * The value of a {@link Type#IDLE_STRATEGY}.
     *
     * @return a supplier of new strategies, or null for {@code auto}.
     * @throws IllegalArgumentException if what is given is no strategy.
     */
    public Supplier<IdleStrategy> idleStrategy()
    {
        require(Type.IDLE_STRATEGY);
        final Given given = given(System::getProperty, System::getenv);
        return PropertyParser.idleStrategy(given.source, null == given.text ? defaultText : given.text);
    }

    /**
     * The value of a {@link Type#TEXT} that is one of some names.
     *
     * @param names that are allowed.
     * @return one of them.
     * @throws IllegalArgumentException if what is given is none of them, in whatever case.
     */
    public String oneOf(final List<String> names)
    {
        require(Type.TEXT);
        final Given given = given(System::getProperty, System::getenv);
        return oneOf(names, given.source, null == given.text ? defaultText : given.text);
    }

    /**
     * Checks a name that a program has set.
     *
     * @param names that are allowed.
     * @param name  that is given.
     * @return one of the names.
     * @throws IllegalArgumentException if what is given is none of them, in whatever case.
     */
    public String oneOf(final List<String> names, final String name)
    {
        return oneOf(names, propertyName, name);
    }

    private static String oneOf(final List<String> names, final String source, final String given)
    {
        for (final String name : names)
        {
            if (name.equalsIgnoreCase(given))
            {
                return name;
            }
        }

        throw PropertyParser.refused(source, given, String.join(", ", names));
    }

    /**
     * Checks a {@link Type#NAME} that is given.
     *
     * @param name or null.
     * @return the name.
     * @throws IllegalArgumentException if it is blank or too long.
     */
    public String check(final String name)
    {
        if (null != name && (name.isBlank() || name.length() > MAX_NAME_LENGTH))
        {
            throw PropertyParser.refused(propertyName, name, allowed);
        }

        return name;
    }

    /**
     * Checks a value that a program has set.
     *
     * @param value in bytes, nanoseconds or as such.
     * @return the value.
     * @throws IllegalArgumentException if it is out of range.
     */
    public long check(final long value)
    {
        return inRange(propertyName, value, Long.toString(value));
    }

    /**
     * Checks what is given of all properties whose values need no more than themselves to be checked.
     *
     * @throws IllegalArgumentException if one of them cannot be parsed or is not allowed.
     */
    public static void checkAll()
    {
        for (final ShmemProperty property : values())
        {
            switch (property.type)
            {
                case SIZE, DURATION, NUMBER -> property.longValue();
                case BOOLEAN -> property.booleanValue();
                case IDLE_STRATEGY -> property.idleStrategy();
                case NAME -> property.check(property.text());
                default -> property.text();
            }
        }
    }

    Given given(final UnaryOperator<String> properties, final UnaryOperator<String> environment)
    {
        final String property = properties.apply(propertyName);
        if (null != property && !property.isBlank())
        {
            return new Given(propertyName, property.trim());
        }

        final String variable = environment.apply(environmentName);
        if (null != variable && !variable.isBlank())
        {
            return new Given(environmentName + " (" + propertyName + ")", variable.trim());
        }

        return new Given(propertyName, null);
    }

    private long parseLong(final String source, final String text)
    {
        final long value = switch (type)
        {
            case SIZE -> PropertyParser.size(source, text);
            case DURATION -> PropertyParser.durationNs(source, text);
            case NUMBER -> PropertyParser.number(source, text);
            default -> throw new IllegalStateException(propertyName + " is no number but " + type);
        };

        return inRange(source, value, text);
    }

    private long inRange(final String source, final long value, final String given)
    {
        if (value < min || value > max)
        {
            throw PropertyParser.refused(source, given, allowed);
        }

        return onGrid(source, value, given);
    }

    private long onGrid(final String source, final long value, final String given)
    {
        final boolean isMtu = UDP_MTU == this || IPC_MTU == this;
        if (isMtu && 0 != value && (value < MIN_MTU || 0 != value % MTU_STEP))
        {
            throw PropertyParser.refused(source, given, allowed + ", a multiple of " + MTU_STEP +
                (0 == min ? ", 0 or at least " : " and at least ") + MIN_MTU);
        }

        if (TERM_LENGTH == this && 1 != Long.bitCount(value))
        {
            throw PropertyParser.refused(source, given, allowed + ", a power of two");
        }

        return value;
    }

    private void require(final Type required)
    {
        if (required != type)
        {
            throw new IllegalStateException(propertyName + " is no " + required + " but " + type);
        }
    }

    private static String range(final long min, final long max, final Type type)
    {
        return Long.MAX_VALUE == max ?
            ", " + type.format(min) + " or more" : ", from " + type.format(min) + " to " + type.format(max);
    }

    /**
     * Where a value was given, in words for messages, and the value; null where it was not.
     */
    record Given(String source, String text)
    {
    }

    /**
     * The kinds of values.
     */
    public enum Type
    {
        /** Bytes, with a unit or without. */
        SIZE(PropertyParser.SIZE_SYNTAX),
        /** A duration, with a unit or in nanoseconds. */
        DURATION(PropertyParser.DURATION_SYNTAX),
        /** A whole number. */
        NUMBER("a whole number"),
        /** True or false. */
        BOOLEAN("true or false"),
        /** A constant of an enum. */
        CHOICE("one of a list"),
        /** The name of an idle strategy. */
        IDLE_STRATEGY(PropertyParser.IDLE_STRATEGY_SYNTAX),
        /** Free text. */
        TEXT("text"),
        /** A name. The default is told in words, as it depends on the host. */
        NAME("a name"),
        /** A secret, which is never shown. The default is told in words. */
        SECRET("a secret"),
        /** A directory. The default is told in words, as it depends on the host or the job. */
        DIRECTORY("a directory");

        private final String syntax;

        Type(final String syntax)
        {
            this.syntax = syntax;
        }

        boolean isDefaultInWords()
        {
            return DIRECTORY == this || NAME == this || SECRET == this;
        }

        private String format(final long value)
        {
            return switch (this)
            {
                case SIZE -> PropertyParser.formatSize(value);
                case DURATION -> PropertyParser.formatDuration(value);
                default -> Long.toString(value);
            };
        }
    }
}
