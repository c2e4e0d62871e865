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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the launcher of a job tells the launcher of one of its nodes, on that one's standard input: so the secret is in
 * no command line, and arguments need no quoting whatever shell is on the way.
 * <p>
 * A line with the number of bytes that follow, in decimal digits; then {@code name=value} fields, each ended by a NUL
 * byte, which no argument and no variable can contain. A name is repeated for each element of a list, in order. What
 * follows on the input belongs to PE 0, so not a byte more is read.
 */
public final class NodeOrder
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
    private static final String TAG_OUTPUT = "tag";
    private static final String KEEP_GOING = "keep-going";

    private final List<String> fields = new ArrayList<>();

    private NodeOrder()
    {
    }

    /**
     * Makes an order.
     *
     * @param version     of AeroSHMEM, which is the same on all nodes.
     * @param id          bytes of the rendezvous of the job.
     * @param node        whose PEs are to be started.
     * @param ctx         what to run.
     * @param environment variables of the PEs that are not set on their host.
     * @return the order.
     */
    static NodeOrder of(
        final String version,
        final byte[] id,
        final HostList.Node node,
        final LaunchContext ctx,
        final Map<String, String> environment)
    {
        final NodeOrder order = new NodeOrder();
        order.put(VERSION, version);
        order.put(ID, HexFormat.of().formatHex(id));
        order.put(PES, Integer.toString(ctx.nPes()));
        order.put(FIRST_PE, Integer.toString(node.firstPe()));
        order.put(PE_COUNT, Integer.toString(node.peCount()));
        order.put(HOST, node.host());
        order.put(DIRECTORY, new File("").getAbsolutePath());
        if (null != ctx.classPath())
        {
            order.put(CLASS_PATH, ClassPath.absolute(ctx.classPath()));
        }
        order.put(MAIN_CLASS, ctx.mainClass());
        ctx.jvmOptions().forEach((option) -> order.put(JVM_OPTION, option));
        ctx.arguments().forEach((argument) -> order.put(ARGUMENT, argument));
        environment.forEach((name, value) -> order.put(VARIABLE, name + "=" + value));
        order.put(TAG_OUTPUT, Boolean.toString(ctx.isOutputTagged()));
        order.put(KEEP_GOING, Boolean.toString(ctx.isKeepingGoing()));
        return order;
    }

    /**
     * Reads an order, and nothing beyond it.
     *
     * @param input not buffered.
     * @return the order.
     * @throws IOException if there is none, or only a part.
     */
    public static NodeOrder read(final InputStream input) throws IOException
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
            throw new IOException("no order on the standard input: this command is for the launcher of a job only");
        }
        final byte[] bytes = new byte[length];
        // the other readNBytes asks a FileInputStream for its position, which a pipe has not
        final int count = input.readNBytes(bytes, 0, length);
        if (count < length)
        {
            throw new EOFException("the order ended after " + count + " of " + length + " bytes");
        }
        final NodeOrder order = new NodeOrder();
        int start = 0;
        for (int i = 0; i < length; i++)
        {
            if (0 == bytes[i])
            {
                order.fields.add(new String(bytes, start, i - start, StandardCharsets.UTF_8));
                start = i + 1;
            }
        }
        return order;
    }

    /**
     * Writes the order.
     *
     * @param output to write to; flushed.
     * @throws IOException if it cannot be written.
     */
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

    /**
     * The version of AeroSHMEM that gave the order.
     *
     * @return its name and version.
     */
    public String version()
    {
        return value(VERSION);
    }

    /**
     * How many PEs the job has on all nodes.
     *
     * @return the number.
     */
    public int nPes()
    {
        return number(PES);
    }

    /**
     * The options for the JVM of each PE.
     *
     * @return in their order.
     */
    public List<String> jvmOptions()
    {
        return values(JVM_OPTION);
    }

    /**
     * Variables for the PEs that the launcher of the job has, and that count where this host has them not.
     *
     * @return by name.
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

    /**
     * The PEs to start.
     *
     * @return the node that this is.
     */
    public HostList.Node node()
    {
        return new HostList.Node(value(HOST), number(FIRST_PE), number(PE_COUNT));
    }

    /**
     * Puts what to run in a context.
     *
     * @param ctx that has the settings already.
     * @return the context.
     */
    public LaunchContext applyTo(final LaunchContext ctx)
    {
        final List<String> classPath = values(CLASS_PATH);
        return ctx
            .directory(new File(value(DIRECTORY)))
            .classPath(classPath.isEmpty() ? null : classPath.get(0))
            .mainClass(value(MAIN_CLASS))
            .arguments(values(ARGUMENT))
            .tagOutput(Boolean.parseBoolean(value(TAG_OUTPUT)))
            .keepGoing(Boolean.parseBoolean(value(KEEP_GOING)));
    }

    /**
     * The id of the job's rendezvous.
     *
     * @return its bytes.
     */
    byte[] id()
    {
        return HexFormat.of().parseHex(value(ID));
    }

    private void put(final String name, final String value)
    {
        if (value.indexOf('\0') >= 0)
        {
            throw new IllegalArgumentException(name + " has a NUL character, which no program can be given");
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
            throw new IllegalArgumentException("the order has " + values.size() + " fields " + name + ", not 1");
        }
        return values.get(0);
    }

    private int number(final String name)
    {
        return Integer.parseInt(value(name));
    }
}
