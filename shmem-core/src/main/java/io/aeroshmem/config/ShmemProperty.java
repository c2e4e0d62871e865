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
import io.aeroshmem.Recovery;
import io.aeroshmem.Synchronization;
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
 * The table of configuration properties. The value of a property is that of its Java system property
 * ({@code aeroshmem.heap.size}, for example), else that of its environment variable ({@code AEROSHMEM_HEAP_SIZE}), else
 * the default. The constructor of {@link io.aeroshmem.Shmem.Context} checks all values that can be checked on their
 * own, and reads those that a program can set, into {@link Settings}. The other values are read where they are used.
 */
public enum ShmemProperty
{
    /** Size of the symmetric heap. */
    HEAP_SIZE("heap.size", Type.SIZE, "64m", 4096, Long.MAX_VALUE,
        "Size of each PE's symmetric heap. It is reserved in full when the PE starts. If it exceeds" +
        " 2 GiB - 1, the JVM needs `--add-opens java.base/sun.nio.ch=ALL-UNNAMED`."),

    /** Whether the heap's file is sparse. */
    HEAP_SPARSE("heap.sparse", Type.BOOLEAN, "false",
        "Allocates the heap's pages on first touch instead of reserving them. Starts quickly, but if the" +
        " file system runs out of space later, the JVM is killed by SIGBUS."),

    /** Root of job directories. */
    SHM_DIR("shm.dir", Type.DIRECTORY, "a directory on a memory file system", "`/dev/shm`, else `java.io.tmpdir`",
        "Parent of the directories of jobs, which hold the heaps and the control files."),

    /** Path of operations to a peer. */
    TRANSPORT("transport", TransportKind.class, "auto",
        "Path of operations to a peer. `mapped`: loads and stores to the peer's heap, which the PE maps; `ipc`," +
        " `udp`: messages over Aeron IPC or Aeron UDP; `auto`: `mapped` where the PE can map the peer's heap," +
        " elsewhere `udp`."),

    /** Node that a PE belongs to. */
    NODE_NAME("node.name", Type.NAME, "up to " + ShmemProperty.MAX_NAME_LENGTH + " characters", "none",
        "Without this property, the PEs that have the same kernel, user and file system of the job directories are" +
        " one *node*: they can map each other's heaps, and form a NODE team. Different names divide such PEs into" +
        " several nodes, which do not map each other's heaps. Set the property where containers have different" +
        " directories on one file system."),

    /** Address of the rendezvous of a job. */
    RENDEZVOUS("rendezvous", Type.NAME, "`host`, `host:port` or `[IPv6 address]:port`", "set by the scheduler",
        "Address of the [rendezvous](bootstraps/uniqueid.md#operation), the server through which PEs join, in a job" +
        " that [a scheduler](bootstraps/environment.md) started. It is an address of the host of PE 0, which runs" +
        " the server. By default the port is derived from a key of the job."),

    /** Secret shared by the PEs of a job. */
    RENDEZVOUS_SECRET("rendezvous.secret", Type.SECRET, "16 characters or more",
        "set by the scheduler",
        "Secret required to join a job that [a scheduler](bootstraps/environment.md) started. Set the environment" +
        " variable: the command line of a process is visible to all users of its host."),

    /** Interface of the rendezvous. */
    RENDEZVOUS_INTERFACE("rendezvous.interface", Type.NAME, "an IP address, a host name or a subnet such as" +
        " 10.0.0.0/24",
        "the first address of the host that is neither loopback nor link-local, IPv4 before IPv6; loopback in a job" +
        " that `mpiexec` or `srun` has started by PMI on one host; under `run --hosts`, the address from which the" +
        " launcher's host reaches the first other host",
        "The network interface on which the [rendezvous](bootstraps/uniqueid.md#operation) of a job listens. It" +
        " applies in the process that runs the rendezvous: the creator of a unique id, rank 0 of an out-of-band" +
        " bootstrap, PE 0 of a job started by PMI, or the launcher of `run --hosts`."),

    /** Whether init defers memory and connections to the first call that needs them. */
    DELAYED_INIT("init.delayed", Type.BOOLEAN, "false",
        "Lets init return when all PEs have joined, before they have memory and are connected: the first call that" +
        " allocates, synchronises all PEs or attaches a device completes the set-up."),

    /** Time for which init trains the code of the library. */
    WARM_UP("warmup", Type.DURATION, "0s", 0, Long.MAX_VALUE,
        "Time for which init [trains the code of the library](tuning.md#the-first-seconds), so that the JVM has" +
        " compiled it when init returns. Must be less than `aeroshmem.join.timeout`, and the same on all PEs, which" +
        " wait for each other."),

    /** Permitted concurrency of calls. */
    THREAD_LEVEL("thread.level", ThreadLevel.class, "multiple",
        "Permitted concurrency of calls by the threads of a PE."),

    /** Whether calls are checked against the thread level. */
    CHECK_THREADS("check.threads", Type.BOOLEAN, "false",
        "Throws IllegalStateException for a call by a thread, or at a time, that the thread level does not permit."),

    /** Thread that drives progress. */
    PROGRESS_MODE("progress.mode", ProgressMode.class, "agent",
        "What drives one-sided operations and nonblocking collectives while no call is blocked. `agent`: a" +
        " background thread; `invoker`: the application, by calling `Shmem.progress()`."),

    /** Idle strategy of the background thread. */
    IDLE_STRATEGY("idle.strategy", Type.IDLE_STRATEGY, "auto",
        "Idle strategy of the background thread; `auto` parks for longer where processors are few."),

    /** Idle strategy of blocked callers. */
    WAIT_IDLE_STRATEGY("wait.idle.strategy", Type.IDLE_STRATEGY, "auto",
        "Idle strategy of a blocked caller; `auto` spins if there is a processor for each busy thread, else spins" +
        " briefly, then yields, then parks. A caller that waits for messages yields for 1.5 s after `init`."),

    /** Directory of a media driver. */
    AERON_DIR("aeron.dir", Type.DIRECTORY, "the directory of a running media driver", "the job's own driver",
        "The media driver for IPC and UDP. The directory must belong to this user and have mode 0700" +
        " ([security.md](security.md#media-drivers)). By default a driver is embedded when it is first needed: in the" +
        " launcher, or, without one, in a PE of the node."),

    /** Time limit of blocking operations. */
    OPERATION_TIMEOUT("operation.timeout", Type.DURATION, "0s", 0, Long.MAX_VALUE,
        "Time after which a blocking call throws ShmemTimeoutException; with `0s` it never does. This limit does" +
        " not apply to waits and locks; some of them have a parameter for a limit."),

    /** Time limit of joining. */
    JOIN_TIMEOUT("join.timeout", Type.DURATION, "60s", 1_000_000L, Long.MAX_VALUE,
        "Time that a starting PE waits for the other PEs of its job."),

    /** Limit of the silence of PEs and of nodes. */
    LIVENESS_TIMEOUT("liveness.timeout", Type.DURATION, "10s", 1_000_000_000L, 3_600_000_000_000L,
        "How long PEs and nodes may be silent. A PE without a heartbeat for 1.2 times this value is killed and" +
        " reported as failed; in a job over several nodes, a node is reported as failed if its leader (the launcher" +
        " there, else the lowest PE of the node) is silent for 0.8 times this value. The death of a process on the" +
        " same host is detected within a second, independently of this value."),

    /** What follows a failure of the job. */
    RECOVERY("recovery", Recovery.class, "none",
        "What follows a [failure](failures.md) of the job. `none`: the job ends; `restart`: all PEs end, and" +
        " `aeroshmem run`, `Shmem.runLocal` or [a supervisor](bootstraps/supervisor.md) [starts them" +
        " again](launching.md#recovery), as the next generation of the job; `replace`: only the lost PE is started" +
        " again, and the others go on in the next generation; `shrink`: the others go on without it, under" +
        " `aeroshmem run`."),

    /** Most recoveries within the window. */
    RECOVERY_MAX("recovery.max", Type.NUMBER, "8", 0, Integer.MAX_VALUE,
        "Number of recoveries of a job within `aeroshmem.recovery.window`; the next failure ends the job. Under [a" +
        " supervisor](bootstraps/supervisor.md) that one decides."),

    /** Time in which recoveries count. */
    RECOVERY_WINDOW("recovery.window", Type.DURATION, "10m", 1_000_000L, Long.MAX_VALUE,
        "Time for which a recovery counts in `aeroshmem.recovery.max`, and delays the next one."),

    /** Time in which a process that survives joins the next generation. */
    RECOVERY_JOIN_TIMEOUT("recovery.join.timeout", Type.DURATION, "10s", 1_000_000L, Long.MAX_VALUE,
        "Time in which a PE that survives a failure has to join the next generation with" +
        " `aeroshmem.recovery=replace`; then its process is ended and replaced. Must be less than" +
        " `aeroshmem.join.timeout`, for which the others wait."),

    /** Time for which the memory of a recoverable job outlives its processes. */
    RECOVERY_RETAIN_TIMEOUT("recovery.retain.timeout", Type.DURATION, "10m", 1_000_000L, Long.MAX_VALUE,
        "Time for which the directory of a recoverable job is kept if its launcher, or under a supervisor the last of" +
        " its processes, was killed. If the job ends in any other way, they remove the directory."),

    /** Directory of a recoverable job. */
    RECOVERY_DIRECTORY("recovery.directory", Type.DIRECTORY, "a directory", "set by `aeroshmem run --recover`",
        "Directory of a recoverable job, on the file system of `aeroshmem.shm.dir`, for what its generations have in" +
        " common: [retained memory](recovery.md)."),

    /** Number of snapshots that are kept. */
    SNAPSHOT_KEEP("snapshot.keep", Type.NUMBER, "1", 1, 1_000_000,
        "Number of [snapshots](recovery.md#snapshots) that `Shmem.snapshot` keeps in its directory; the value of PE 0" +
        " counts."),

    /** Number of teams. */
    MAX_TEAMS("teams.max", Type.NUMBER, "4096", 1, 65536,
        "Number of teams that a PE can belong to at once, besides the predefined ones."),

    /** Whether collectives are compared. */
    CHECK_COLLECTIVES("check.collectives", Type.BOOLEAN, "false",
        "Compares the calls of all PEs on every collective, and throws CollectiveMismatchException if they differ." +
        " Also reports allocations that a PE has not freed when it is closed."),

    /** Synchronisation of collectives. */
    COLLECTIVES_SYNCHRONIZATION("collectives.synchronization", Synchronization.class, "non_synchronized",
        "With `synchronized`, every collective call of every team is performed between two barriers, whatever the" +
        " parameters of the team."),

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
        "Records the latency of each collective in a histogram, from the start; `Shmem.recordLatency` switches the" +
        " recording on and off later."),

    /** Whether one-sided operations and waits are recorded. */
    RECORD_OPERATIONS("operations.record", Type.BOOLEAN, "false",
        "Counts the one-sided operations that the PE issues, also on mapped memory, and records their latencies and" +
        " those of waits while latencies are recorded. Cannot be switched later: it chooses the code of the" +
        " operations."),

    /** Directory of recorded latencies. */
    LATENCY_DIR("latency.dir", Type.DIRECTORY, "a directory, created if it is missing", "the working directory",
        "Directory of the recorded latencies of each PE: `aeroshmem-peN.hlog` and, for each" +
        " [tag](collective-latency.md), `aeroshmem-peN.<tag>.hgrm`. These files replace those of an earlier job."),

    /** Interval of the log of latencies. */
    LATENCY_INTERVAL("latency.interval", Type.DURATION, "1s", 1_000_000L, 3_600_000_000_000L,
        "Length of an interval of the log of latencies."),

    /** Interface for UDP. */
    UDP_INTERFACE("udp.interface", Type.NAME, "an IP address or a subnet such as 10.0.0.0/24",
        "`127.0.0.1`; in a job over several nodes, the local address that reaches the rendezvous",
        "The network interface for Aeron UDP."),

    /** Multicast group for puts to many PEs. */
    UDP_MULTICAST("udp.multicast", Type.NAME, "an IP address and a port such as 239.1.2.3:40500", "none",
        "Multicast group by which `putAll` and `putSignalAll` reach all PEs over UDP with one message" +
        " ([transports.md](transports.md#multicast))."),

    /** MTU for UDP. */
    UDP_MTU("udp.mtu", Type.SIZE, "0", 0, 65504,
        "Largest UDP payload, a multiple of 32. `0` stands for 63k on the loopback interface, and for 1408 on" +
        " others."),

    /** MTU for IPC. */
    IPC_MTU("ipc.mtu", Type.SIZE, "8k", 1024, 65504,
        "Largest IPC frame, a multiple of 32."),

    /** Term length of the streams. */
    TERM_LENGTH("term.length", Type.SIZE, "1m", 64 << 10, 1 << 30,
        "Length of a term buffer of an Aeron stream, a power of two; each stream has three."),

    /** Number of the CUDA device. */
    GPU_DEVICE("gpu.device", Type.NAME, "a number from 0",
        "the device of the CUDA context that is current when the PE sets up its device",
        "Number of the CUDA device of a PE that uses the GPU module."),

    /** Size of the device heap. */
    GPU_HEAP_SIZE("gpu.heap.size", Type.SIZE, "64m", 4096, Long.MAX_VALUE,
        "Size of each PE's heap in the memory of its device."),

    /** Whether host heaps are registered with CUDA. */
    GPU_PIN("gpu.pin", Type.BOOLEAN, "true",
        "Registers the mapped host heaps with CUDA, so that copies are fast and kernels reach them."),

    /** Whether device heaps are shared between processes. */
    GPU_IPC("gpu.ipc", Type.BOOLEAN, "true",
        "Maps the device heaps of other processes of the node by CUDA IPC. With `false`, or where CUDA IPC is not" +
        " supported, the PE that owns a device heap performs the operations of those processes on it."),

    /** The file with the kernels of the GPU module. */
    GPU_KERNELS("gpu.kernels", Type.FILE, "a file", "the PTX in the jar",
        "Cubin or fatbin of the kernels of the GPU module, which spares the driver their compilation. If the driver" +
        " rejects it, the PTX in the jar is loaded, with a warning."),

    /** Requests of kernels that await the host. */
    GPU_RING("gpu.ring", Type.NUMBER, "1024", 64, 1 << 20,
        "Number of entries, a power of two, of the ring in which the requests of kernels await the host. A kernel" +
        " that finds the ring full waits."),

    /** Whether kernels reach other PEs by the host only. */
    GPU_PROXY("gpu.proxy", Type.BOOLEAN, "false",
        "Makes the device-side API reach all other PEs by requests to the host, never by address. For" +
        " troubleshooting.");

    /** Most characters of a name. */
    public static final int MAX_NAME_LENGTH = 128;

    /** Equal on all PEs, but not compared by init: with the heaps, the devices, and on the way to the rendezvous. */
    private static final Set<ShmemProperty> COMPARED_ELSEWHERE =
        EnumSet.of(HEAP_SIZE, GPU_HEAP_SIZE, RENDEZVOUS, RENDEZVOUS_SECRET);
    private static final Set<ShmemProperty> COMPARED_BY_INIT = EnumSet.of(
        DELAYED_INIT,
        LIVENESS_TIMEOUT,
        RECOVERY,
        MAX_TEAMS,
        CHECK_COLLECTIVES,
        COLLECTIVES_SYNCHRONIZATION,
        ALGORITHM_BROADCAST,
        ALGORITHM_COLLECT,
        ALGORITHM_ALLTOALL,
        ALGORITHM_ALLTOALLS,
        ALGORITHM_REDUCE,
        ALGORITHM_REDUCE_SCATTER,
        ALGORITHM_SCAN,
        ALGORITHM_BARRIER,
        UDP_MULTICAST,
        UDP_MTU,
        IPC_MTU,
        TERM_LENGTH);
    private static final int MTU_STEP = 32;
    private static final int MIN_MTU = 1024;

    private final String propertyName;
    private final String environmentName;
    private final Type type;
    /** Of a {@link Type#CHOICE}. */
    private final Class<? extends Enum<?>> choices;
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
            "Algorithm of " + routine + ", used wherever it is applicable; elsewhere, and with `auto`, the table" +
            " selects one by the size of the team and of the blocks.");
    }

    /** A property without a range. */
    ShmemProperty(final String suffix, final Type type, final String defaultText, final String description)
    {
        this(suffix, type, null, defaultText, type.syntax, 0, Long.MAX_VALUE, description);
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
        this(suffix, type, null, defaultText, type.syntax + range(min, max, type), min, max, description);
    }

    /** One of an enum's constants. */
    ShmemProperty(
        final String suffix, final Class<? extends Enum<?>> choices, final String defaultText, final String description)
    {
        this(
            suffix, Type.CHOICE, choices, defaultText, PropertyParser.choices(choices), 0, Long.MAX_VALUE, description);
    }

    /** Text, a name or a directory. */
    ShmemProperty(
        final String suffix, final Type type, final String allowed, final String defaultText, final String description)
    {
        this(suffix, type, null, defaultText, allowed, 0, Long.MAX_VALUE, description);
    }

    ShmemProperty(
        final String suffix,
        final Type type,
        final Class<? extends Enum<?>> choices,
        final String defaultText,
        final String allowed,
        final long min,
        final long max,
        final String description)
    {
        this.propertyName = "aeroshmem." + suffix;
        this.environmentName = propertyName.replace('.', '_').toUpperCase(Locale.ROOT);
        this.type = type;
        this.choices = choices;
        this.defaultText = defaultText;
        this.allowed = allowed;
        this.min = min;
        this.max = max;
        this.description = description;
    }

    public String propertyName()
    {
        return propertyName;
    }

    public String environmentName()
    {
        return environmentName;
    }

    public Type type()
    {
        return type;
    }

    /**
     * Returns the default as text; for a {@link Type#DIRECTORY}, a {@link Type#NAME} and a {@link Type#SECRET} a
     * description of it.
     */
    public String defaultText()
    {
        return defaultText;
    }

    /** Returns a description of the values allowed. */
    public String allowed()
    {
        return allowed;
    }

    /** Returns true if all PEs of a job must have the same value, else init fails. */
    public boolean isCommon()
    {
        return isComparedByInit() || COMPARED_ELSEWHERE.contains(this);
    }

    /** Returns true if init compares the values of all PEs as attributes of the join record. */
    boolean isComparedByInit()
    {
        return COMPARED_BY_INIT.contains(this);
    }

    /** Returns the meaning as one or two sentences in Markdown. */
    public String description()
    {
        return description;
    }

    /** Returns true if a system property or an environment variable sets it. */
    public boolean isGiven()
    {
        return null != setting(System::getProperty, System::getenv).text;
    }

    /**
     * Returns where the value is from: the name of the environment variable or the system property that sets it, or
     * null for the default.
     */
    public String source()
    {
        final Setting setting = setting(System::getProperty, System::getenv);
        return null == setting.text ? null :
            setting.source.startsWith(environmentName) ? environmentName : propertyName;
    }

    /** Returns the default for display: a description where it has no text. */
    public String shownDefault()
    {
        return defaultText.replace("`", "");
    }

    /**
     * Returns the value as text; null for a {@link Type#DIRECTORY}, a {@link Type#FILE}, a {@link Type#NAME} and a
     * {@link Type#SECRET} that is not set.
     */
    public String text()
    {
        final String text = setting(System::getProperty, System::getenv).text;
        return null != text || type.isDefaultInWords() ? text : defaultText;
    }

    /**
     * Returns the value for display, a description where the default has no text; of a {@link Type#SECRET} only whether
     * it is set.
     */
    public String shownText()
    {
        if (Type.SECRET == type)
        {
            return isGiven() ? "set" : "unset";
        }

        return isGiven() ? text() : shownDefault();
    }

    /**
     * Returns the value of a {@link Type#SIZE} in bytes, a {@link Type#DURATION} in nanoseconds, or a
     * {@link Type#NUMBER}.
     */
    public long longValue()
    {
        final Setting setting = setting(System::getProperty, System::getenv);
        return null == setting.text ? parseLong(propertyName, defaultText) : parseLong(setting.source, setting.text);
    }

    public boolean booleanValue()
    {
        require(Type.BOOLEAN);
        final Setting setting = setting(System::getProperty, System::getenv);
        return PropertyParser.bool(setting.source, null == setting.text ? defaultText : setting.text);
    }

    /** Returns the value of a {@link Type#CHOICE} as one of the constants of a type, which have the same names. */
    public <E extends Enum<?>> E choice(final Class<E> constants)
    {
        require(Type.CHOICE);
        final Setting setting = setting(System::getProperty, System::getenv);
        return PropertyParser.choice(constants, setting.source, null == setting.text ? defaultText : setting.text);
    }

    /** Returns a supplier of new strategies, or null for {@code auto}. */
    public Supplier<IdleStrategy> idleStrategy()
    {
        require(Type.IDLE_STRATEGY);
        final Setting setting = setting(System::getProperty, System::getenv);
        return PropertyParser.idleStrategy(setting.source, null == setting.text ? defaultText : setting.text);
    }

    /** Returns the value of a {@link Type#TEXT} that is one of some names, in any case. */
    public String oneOf(final List<String> names)
    {
        require(Type.TEXT);
        final Setting setting = setting(System::getProperty, System::getenv);
        return oneOf(names, setting.source, null == setting.text ? defaultText : setting.text);
    }

    /** Checks a name that a program has set, in any case, and returns it as listed. */
    public String oneOf(final List<String> names, final String name)
    {
        return oneOf(names, propertyName, name);
    }

    private static String oneOf(final List<String> names, final String source, final String text)
    {
        for (final String name : names)
        {
            if (name.equalsIgnoreCase(text))
            {
                return name;
            }
        }

        throw PropertyParser.rejected(source, text, String.join(", ", names));
    }

    /** Checks a {@link Type#NAME}, which may be null. */
    public String check(final String name)
    {
        if (null != name && (name.isBlank() || name.length() > MAX_NAME_LENGTH))
        {
            throw PropertyParser.rejected(propertyName, name, allowed);
        }

        return name;
    }

    /** Checks a value that a program has set: bytes, nanoseconds or a plain number. */
    public long check(final long value)
    {
        return inRange(propertyName, value, Long.toString(value));
    }

    /**
     * Checks a value, as {@link #value()} returns it.
     *
     * @throws IllegalArgumentException if it is not allowed; the message states the rule.
     */
    void check(final Object value)
    {
        switch (type)
        {
            case SIZE, DURATION, NUMBER -> check((long)value);
            case NAME -> check((String)value);
            case BOOLEAN, CHOICE, TEXT ->
            {
                if (null == value)
                {
                    throw Arguments.mustBe(propertyName, allowed, null);
                }
            }
            default ->
            {
            }
        }
    }

    /**
     * Returns the value: a Long of bytes, nanoseconds or a plain number, a Boolean, a constant, a supplier of idle
     * strategies, or text. Null stands for a default without a text, or without an idle strategy.
     */
    Object value()
    {
        return switch (type)
        {
            case SIZE, DURATION, NUMBER -> longValue();
            case BOOLEAN -> booleanValue();
            case CHOICE -> choice(choices);
            case IDLE_STRATEGY -> idleStrategy();
            case NAME -> check(text());
            default -> text();
        };
    }

    Setting setting(final UnaryOperator<String> properties, final UnaryOperator<String> environment)
    {
        final String property = properties.apply(propertyName);
        if (null != property && !property.isBlank())
        {
            return new Setting(propertyName, property.trim());
        }

        final String variable = environment.apply(environmentName);
        if (null != variable && !variable.isBlank())
        {
            return new Setting(environmentName + " (" + propertyName + ")", variable.trim());
        }

        return new Setting(propertyName, null);
    }

    private long parseLong(final String source, final String text)
    {
        final long value = switch (type)
        {
            case SIZE -> PropertyParser.size(source, text);
            case DURATION -> PropertyParser.durationNs(source, text);
            case NUMBER -> PropertyParser.number(source, text);
            default -> throw new IllegalStateException(propertyName + " must be a number: it is a " + type);
        };

        return inRange(source, value, text);
    }

    private long inRange(final String source, final long value, final String text)
    {
        if (value < min || value > max)
        {
            throw PropertyParser.rejected(source, text, allowed);
        }

        return onGrid(source, value, text);
    }

    private long onGrid(final String source, final long value, final String text)
    {
        final boolean isMtu = UDP_MTU == this || IPC_MTU == this;
        if (isMtu && 0 != value && (value < MIN_MTU || 0 != value % MTU_STEP))
        {
            throw PropertyParser.rejected(source, text, allowed + ", a multiple of " + MTU_STEP +
                (0 == min ? ", 0 or >= " : " and >= ") + MIN_MTU);
        }

        if ((TERM_LENGTH == this || GPU_RING == this) && 1 != Long.bitCount(value))
        {
            throw PropertyParser.rejected(source, text, allowed + ", a power of two");
        }

        return value;
    }

    private void require(final Type required)
    {
        if (required != type)
        {
            throw new IllegalStateException(propertyName + " must be a " + required + ": it is a " + type);
        }
    }

    private static String range(final long min, final long max, final Type type)
    {
        return Long.MAX_VALUE == max ?
            ", >= " + type.format(min) : ", " + type.format(min) + " to " + type.format(max);
    }

    /** The text of a value, or null if it is not set, and the name of its source in exception messages. */
    record Setting(String source, String text)
    {
    }

    /** The kinds of values. */
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
        /** A name. The default is a description, as it depends on the host. */
        NAME("a name"),
        /** A secret, which is never shown. The default is a description. */
        SECRET("a secret"),
        /** A directory. The default is a description, as it depends on the host or the job. */
        DIRECTORY("a directory"),
        /** A file. The default is a description. */
        FILE("a file");

        private final String syntax;

        Type(final String syntax)
        {
            this.syntax = syntax;
        }

        boolean isDefaultInWords()
        {
            return DIRECTORY == this || FILE == this || NAME == this || SECRET == this;
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
