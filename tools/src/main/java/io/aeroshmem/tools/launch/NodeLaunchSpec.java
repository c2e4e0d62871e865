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

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Launch specification of one node. The launcher of a job writes it to the standard input of the node launcher. So the
 * secret of the rendezvous is in no command line, and arguments need no quoting for the shells in between.
 * <p>
 * The first line is the number of bytes that follow, in decimal digits. Then come {@code name=value} fields, each ended
 * by a NUL byte, which no argument and no variable can contain. A list has one field for each element, in order. On
 * the node of PE 0, the rest of the input is the standard input of PE 0. So the node launcher reads no byte beyond the
 * specification.
 */
public final class NodeLaunchSpec
{
    private static final int MAX_LENGTH = 16 << 20;
    private static final int MAX_DIGITS = 8;

    private static final String VERSION = "version";
    private static final String ID = "id";
    private static final String PES = "pes";
    private static final String FIRST_PE = "first";
    private static final String PE_COUNT = "count";
    private static final String HOST = "host";
    private static final String DIRECTORY = "directory";
    private static final String CLASS_PATH = "classpath";
    private static final String MAIN_CLASS = "main";
    private static final String JVM_OPTION = "jvm";
    private static final String ARGUMENT = "arg";
    private static final String VARIABLE = "env";
    private static final String TAG = "tag";
    private static final String KEEP_GOING = "keep-going";
    private static final String TIMEOUT = "timeout";
    private static final String BINDING = "bind";
    private static final String DEBUGGED_PE = "debug";
    private static final String LOG_DIRECTORY = "log";
    private static final String ARCHIVE = "archive";
    private static final String SPARES = "spares";
    private static final String VERBOSE = "verbose";

    private final List<String> fields = new ArrayList<>();

    private NodeLaunchSpec()
    {
    }

    /**
     * Creates the spec of a node. {@code version} is that of AeroSHMEM, which must be the same on all nodes, {@code id}
     * identifies the rendezvous, and {@code environment} holds the launcher's variables for the PEs; variables that are
     * set on their host take precedence.
     */
    static NodeLaunchSpec of(
        final String version,
        final byte[] id,
        final HostList.Node node,
        final LaunchContext ctx,
        final Map<String, String> environment)
    {
        final NodeLaunchSpec spec = new NodeLaunchSpec();
        spec.put(VERSION, version);
        spec.put(ID, HexFormat.of().formatHex(id));
        spec.put(PES, Integer.toString(ctx.nPes()));
        spec.put(FIRST_PE, Integer.toString(node.firstPe()));
        spec.put(PE_COUNT, Integer.toString(node.peCount()));
        spec.put(HOST, node.host());
        spec.put(DIRECTORY, new File("").getAbsolutePath());
        if (null != ctx.classPath())
        {
            spec.put(CLASS_PATH, ClassPath.absolute(ctx.classPath()));
        }

        spec.put(MAIN_CLASS, ctx.mainClass());
        ctx.jvmOptions().forEach((option) -> spec.put(JVM_OPTION, option));
        ctx.arguments().forEach((argument) -> spec.put(ARGUMENT, argument));
        environment.forEach((name, value) -> spec.put(VARIABLE, name + "=" + value));
        if (null != ctx.tag())
        {
            spec.put(TAG, ctx.tag());
        }

        spec.put(BINDING, ctx.binding().toString());
        ctx.debuggedPes().forEach((each) -> spec.put(DEBUGGED_PE, each.pe() + ":" + each.port()));
        if (null != ctx.logDirectory())
        {
            spec.put(LOG_DIRECTORY, ctx.logDirectory().toAbsolutePath().toString());
        }

        if (null != ctx.archive().file())
        {
            spec.put(ARCHIVE, ctx.archive().file().toAbsolutePath().toString());
        }

        spec.put(SPARES, Integer.toString(ctx.spares()));
        spec.put(VERBOSE, Boolean.toString(ctx.isVerbose()));
        spec.put(KEEP_GOING, Boolean.toString(ctx.isKeepingGoing()));
        if (ctx.isKeepingGoing() && null != ctx.timeout())
        {
            // the launcher of the job cannot end it by the rendezvous once a PE has failed
            spec.put(TIMEOUT, ctx.timeout().toString());
        }

        return spec;
    }

    /** Reads a spec and nothing beyond it from an unbuffered input. */
    public static NodeLaunchSpec read(final InputStream input) throws IOException
    {
        int length = 0;
        int digits = 0;
        int next = input.read();
        while (Character.isDigit(next) && digits < MAX_DIGITS)
        {
            length = length * 10 + Character.digit(next, 10);
            digits++;
            next = input.read();
        }

        if ('\n' != next || 0 == digits || length > MAX_LENGTH)
        {
            throw new IOException(
                "no launch spec on standard input: this command is started by 'aeroshmem run --hosts'");
        }

        final byte[] bytes = new byte[length];
        // readNBytes(int) asks a FileInputStream for its position, which a pipe does not have
        final int count = input.readNBytes(bytes, 0, length);
        if (count < length)
        {
            throw new EOFException("launch spec ended after " + count + " of " + length + " bytes");
        }

        final NodeLaunchSpec spec = new NodeLaunchSpec();
        int start = 0;
        for (int i = 0; i < length; i++)
        {
            if (0 == bytes[i])
            {
                spec.fields.add(new String(bytes, start, i - start, StandardCharsets.UTF_8));
                start = i + 1;
            }
        }

        return spec;
    }

    /** Writes the spec and flushes the output. */
    void write(final OutputStream output) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final String field : fields)
        {
            bytes.write(field.getBytes(StandardCharsets.UTF_8));
            bytes.write(0);
        }

        output.write((bytes.size() + "\n").getBytes(StandardCharsets.US_ASCII));
        bytes.writeTo(output);
        output.flush();
    }

    /** Returns the name and version of the launcher's AeroSHMEM. */
    public String version()
    {
        return value(VERSION);
    }

    /** Returns the number of PEs on all nodes. */
    public int nPes()
    {
        return number(PES);
    }

    /** Returns the options for the JVM of each PE, in order. */
    public List<String> jvmOptions()
    {
        return values(JVM_OPTION);
    }

    /**
     * Returns variables of the launcher for the PEs, by name; those that are set on the host of the PEs take
     * precedence.
     */
    public Map<String, String> environment()
    {
        final Map<String, String> environment = new TreeMap<>();
        for (final String variable : values(VARIABLE))
        {
            final int equals = variable.indexOf('=');
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }

        return environment;
    }

    /** Returns the PEs to start. */
    public HostList.Node node()
    {
        return new HostList.Node(value(HOST), number(FIRST_PE), number(PE_COUNT));
    }

    /** Adds the program to a context that has the settings already, and returns the context. */
    public LaunchContext applyTo(final LaunchContext ctx)
    {
        final List<String> classPath = values(CLASS_PATH);
        final List<String> tag = values(TAG);
        final List<String> logDirectory = values(LOG_DIRECTORY);
        final List<String> archive = values(ARCHIVE);
        final List<String> timeout = values(TIMEOUT);
        return ctx
            .directory(new File(value(DIRECTORY)))
            .classPath(classPath.isEmpty() ? null : classPath.get(0))
            .mainClass(value(MAIN_CLASS))
            .arguments(values(ARGUMENT))
            .tag(tag.isEmpty() ? null : tag.get(0))
            .binding(CpuBinding.parse(value(BINDING)))
            .debuggedPes(DebuggedPe.parse(values(DEBUGGED_PE), nPes()))
            .logDirectory(logDirectory.isEmpty() ? null : Path.of(logDirectory.get(0)))
            .archive(archive.isEmpty() ? null : Path.of(archive.get(0)))
            .spares(number(SPARES))
            .verbose(Boolean.parseBoolean(value(VERBOSE)))
            .keepGoing(Boolean.parseBoolean(value(KEEP_GOING)))
            .timeout(timeout.isEmpty() ? null : Duration.parse(timeout.get(0)));
    }

    /** Returns the bytes of the id of the rendezvous. */
    byte[] id()
    {
        return HexFormat.of().parseHex(value(ID));
    }

    private void put(final String name, final String value)
    {
        if (value.indexOf('\0') >= 0)
        {
            throw new IllegalArgumentException(name + " must not contain a NUL character");
        }

        fields.add(name + "=" + value);
    }

    private List<String> values(final String name)
    {
        final String prefix = name + "=";
        final List<String> values = new ArrayList<>();
        for (final String field : fields)
        {
            if (field.startsWith(prefix))
            {
                values.add(field.substring(prefix.length()));
            }
        }

        return values;
    }

    private String value(final String name)
    {
        final List<String> values = values(name);
        if (1 != values.size())
        {
            throw new IllegalArgumentException("launch spec must have 1 field " + name + ": found " + values.size());
        }

        return values.get(0);
    }

    private int number(final String name)
    {
        return Integer.parseInt(value(name));
    }
}
