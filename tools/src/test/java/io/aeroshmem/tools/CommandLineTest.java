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
package io.aeroshmem.tools;

import io.aeroshmem.tools.exit.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class CommandLineTest
{
    private static final String HELLO = "io.aeroshmem.samples.HelloPe";

    private final StringWriter output = new StringWriter();
    private final StringWriter error = new StringWriter();

    @Test
    void shouldListTheCommands()
    {
        assertEquals(ExitCode.OK, execute("--help"));
        assertEquals(
            List.of(
                "run", "driver", "latency", "bandwidth", "histogram", "stat", "info", "clean", "replace", "resize",
                "gpu-header", "simulate", "completion", "help", "node"),
            List.copyOf(AeroShmemCommand.commandLine().getSubcommands().keySet()));
        assertFalse(output.toString().contains("node"), output::toString);
    }

    /** Without the others, whose models it does not need. */
    @Test
    void shouldMakeTheCommandThatIsNamed()
    {
        final CommandLine all = AeroShmemCommand.commandLine();
        all.getSubcommands().forEach((name, command) ->
        {
            final Map<String, CommandLine> made = AeroShmemCommand.commandLine(name, "--help").getSubcommands();
            assertEquals(command.getUsageMessage(), made.get(name).getUsageMessage());
            assertEquals(List.of("completion", "help").contains(name) ? all.getSubcommands().size() : 1, made.size());
        });
        assertEquals(all.getUsageMessage(), AeroShmemCommand.commandLine("ru").getUsageMessage());
        assertEquals(all.getUsageMessage(), AeroShmemCommand.commandLine(new String[0]).getUsageMessage());
    }

    @Test
    void shouldPrintWhatOperationsOfSimulatedJobsCost()
    {
        assertEquals(
            ExitCode.OK, execute("simulate", "--pes", "16", "--shape", "2x4", "--op", "sync,broadcast,split"));
        final List<String> lines = output.toString().lines().toList();
        assertEquals(7, lines.size(), output::toString);
        final int columns = lines.get(0).split(",").length;
        lines.forEach((line) -> assertEquals(columns, line.split(",").length, line));
        assertTrue(lines.get(1).startsWith("16,16,sync,dissemination,4,4,64,64,512,512,4,4,32,"), output::toString);
        assertTrue(lines.get(4).startsWith("8,2,sync,two_level,3,3,14,14,112,112,"), output::toString);
    }

    @Test
    void shouldWriteTheHeaderForKernelsAndAllThatItIncludes(@TempDir final Path directory) throws IOException
    {
        final Path written = directory.resolve("a/b");
        assertEquals(ExitCode.OK, execute("gpu-header", written.toString()));
        final List<String> listed = output.toString().lines().toList();
        assertEquals(written.resolve("aeroshmem_device.cuh").toString(), listed.get(0));
        final Path sources = Path.of("../gpu/src/main/cuda");
        for (final String file : listed)
        {
            final String text = Files.readString(Path.of(file));
            assertEquals(Files.readString(sources.resolve(Path.of(file).getFileName())), text);
            for (final String line : text.lines().filter((each) -> each.startsWith("#include \"")).toList())
            {
                assertTrue(Files.exists(written.resolve(line.split("\"")[1])), line);
            }
        }
    }

    @Test
    void shouldPassArgumentsAfterTheMainClassToTheProgram()
    {
        final ParseResult run = AeroShmemCommand.commandLine().parseArgs(
            "run", "-n", "4", "-J-Xmx1g", "-J", "-Dx=y", "-cp", "a.jar:b.jar", "--timeout", "30",
            "com.x.Main", "-n", "7", "--help", "--", "x").subcommand();

        assertEquals(4, run.<Integer>matchedOptionValue("-n", 0));
        assertEquals(List.of("-Xmx1g", "-Dx=y"), run.matchedOptionValue("-J", List.of()));
        assertEquals("a.jar:b.jar", run.matchedOptionValue("-cp", ""));
        assertEquals(Duration.ofSeconds(30), run.matchedOptionValue("--timeout", Duration.ZERO));
        assertEquals("com.x.Main", run.matchedPositionalValue(0, ""));
        assertEquals(List.of("-n", "7", "--help", "--", "x"), run.matchedPositionalValue(1, List.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value =
        {
            "run | 'MainClass'",
            "run -n 2 -Xmx1g " + HELLO + " | -Xmx1g'; an option for the JVM of each PE is -J-Xmx1g (see",
            "run -n 2 -Dx=y " + HELLO + " | '; an option for the JVM of each PE is -J-Dx=y (see",
            "run -n 2 --add-modules a " + HELLO + " | is -J--add-modules",
            "latency -Xmx1g | '; an option for the JVM of each PE is -J-Xmx1g (see",
            "run -n 2 -jar a.jar | '; a program in a jar is run by -cp FILE.jar MainClass (see",
            "run -n 2 a.jar | (-cp is not set); a program in a jar is run by -cp a.jar MainClass",
            "run -np 4 " + HELLO + " | ; the number of PEs is -n N (see",
            "run --np 4 " + HELLO + " | ; the number of PEs is -n N (see",
            "latency -np 4 | ; the number of PEs is -n N (see",
            "run -n 2 HelloPe | ; the sample is " + HELLO,
            "run -n two " + HELLO + " | 'two' is not an int",
            "run -n 0 " + HELLO + " | -n must be >= 1: -n=0",
            "run -n 2 --heap 12x " + HELLO +
                " | size must be a size such as 4096, 64k, 64m, 1g or 2GiB (units of 1024): size=12x",
            "run -n 2 --heap 4611686018427387904 " + HELLO + " | aeroshmem.heap.size",
            "run -n 2 --heap 100t " + HELLO + " | aeroshmem.heap.size (--heap)",
            "run -n 2 --transport pigeon " + HELLO +
                " | aeroshmem.transport must be auto, mapped, ipc or udp: aeroshmem.transport=pigeon",
            "run -n 2 --timeout 0 " + HELLO + " | duration must be > 0: duration=0",
            "run -n 2 --timeout 5x " + HELLO + " | 1h or a number of seconds: duration=5x",
            "run -n 2 -J-Daeroshmem.heap.size=many " + HELLO + " | aeroshmem.heap.size=many",
            "run -n 2 -J-Daeroshmem.udp.mtu=17 " + HELLO + " | aeroshmem.udp.mtu=17",
            "run -n 2 -J-Daeroshmem.udp.mtu=foo " + HELLO + " | aeroshmem.udp.mtu=foo",
            "run -n 2 -J-Daeroshmem.ipc.mtu=1025 " + HELLO + " | aeroshmem.ipc.mtu=1025",
            "run -n 2 -J-Daeroshmem.term.length=100000 " + HELLO + " | aeroshmem.term.length=100000",
            "run -n 2 -J-Daeroshmem.udp.interface=x/y " + HELLO + " | interface=x/y (aeroshmem.udp.interface)",
            "run --hosts a -J-Daeroshmem.udp.mtu=17 " + HELLO + " | aeroshmem.udp.mtu=17",
            "run -n 2 -J-Daeroshmem.haep.size=64m " + HELLO + " | unknown property aeroshmem.haep.size",
            "run -n 2 -J-Daeroshmem.aeron.dir=/missing/driver " + HELLO + " | aeroshmem.aeron.dir",
            "run -n 2 -J-Daeroshmem.shm.dir=/missing " + HELLO + " | aeroshmem.shm.dir",
            "run " + HELLO + " | number of PEs must be set: specify -n or --hosts",
            "run -n 2 --bind cores " + HELLO + " | --bind must be none, core, or the processors of each PE such as",
            "run -n 2 --bind 0 " + HELLO + " | --bind must have an entry for each PE on this host: PEs=2, --bind=0",
            "run -n 1 --bind 99999 " + HELLO + " | --bind must name processors that this process may use,",
            "run --hosts a --bind 1,,2 " + HELLO + " | --bind must be none, core, or the processors",
            "run -n 2 --debug-pe 2 " + HELLO + " | --debug-pe must name a PE from 0 to 1: --debug-pe=2",
            "run --hosts a,b --debug-pe x " + HELLO + " | --debug-pe must be a PE such as 1 or 1:5005",
            "run -n 2 --log-dir /dev/null/logs " + HELLO + " | cannot create the directory /dev/null/logs (--log-dir)",
            "run -n 2 --tag \t " + HELLO + " | --tag must not contain control characters",
            "run -n 2 -J-Daeroshmem.udp.mtu={pe}7 " + HELLO + " | aeroshmem.udp.mtu=17",
            "run -n 2 --ssh rsh " + HELLO + " | --ssh and --remote require --hosts",
            "run -n 6 --hosts a,b:4 " + HELLO + " | -n must be 1 to 5, the sum of the hosts' slots: -n=6",
            "run --hosts a,-x " + HELLO + " | commas, with an IPv6 address in brackets: '-x'",
            "run --hosts a --hostfile f " + HELLO + " | exclude each other",
            "run --hostfile /missing/hosts " + HELLO + " | cannot read the host file /missing/hosts: no such",
            "run --hosts a,b com.missing.Main | main class must be on the class path: mainClass=com.missing.Main",
            "run --hosts a -J-Daeroshmem.heap.size=many " + HELLO + " | aeroshmem.heap.size=many",
            "run -n 1 --recover --keep-going " + HELLO + " | --keep-going",
            "run --recover --hosts localhost --keep-going " + HELLO + " | --keep-going",
            "run -n 1 --spares 1 " + HELLO + " | --spares requires",
            "run -n 1 --recover --spares 1 -J-Dx={pe} " + HELLO + " | --spares",
            "run -n 1 --recover=shrink --spares 1 " + HELLO + " | --spares requires",
            "run -n 1 --recover=never " + HELLO + " | never",
            "run -n 2 com.missing.Main | main class must be on the class path: mainClass=com.missing.Main",
            "latency --op jump | unknown operation 'jump': allowed: usual, all, pingpong, put, get,",
            "latency --op reduce --sizes 8,6 | --sizes must be multiples of 4 bytes for reduce: --sizes=6",
            "latency --op reduce_scatter --type long --sizes 4 | multiples of 8 bytes for reduce_scatter: --sizes=4",
            "latency --op put,inclusive_scan --sizes 18 | multiples of 4 bytes for inclusive_scan: --sizes=18",
            "latency --op put,reduce_to_root --sizes 18 | multiples of 4 bytes for reduce_to_root: --sizes=18",
            "latency --op put,reduce_scatterv --sizes 18 | multiples of 4 bytes for reduce_scatterv: --sizes=18",
            "latency --op put,reduce_request --sizes 18 | multiples of 4 bytes for reduce_request: --sizes=18",
            "latency --op reduce_scatter_request --sizes 2 | of 4 bytes for reduce_scatter_request: --sizes=2",
            "latency --op inclusive_scan_request --sizes 2 | of 4 bytes for inclusive_scan_request: --sizes=2",
            "latency --op reduce --type string | --type must be all, byte, short, int, long,",
            "latency --op reduce --reduce-op avg | --reduce-op must be all, and, or, xor, max, min, sum, prod:",
            "latency --op reduce --type float --reduce-op or | --reduce-op is not defined for --type=float",
            "latency --sizes 8,0 | bytes: --sizes=0",
            "latency --sizes 8,big | size=big",
            "latency --heap-kind shared | 'shared'",
            "latency --on-stream | --on-stream requires --heap-kind pinned or device",
            "latency --heap-kind device --on-stream --op put_bw | --on-stream does not measure --op=put_bw",
            "latency --gpu-device 0 | --gpu-device requires --heap-kind pinned or device",
            "latency --heap-kind device --gpu-device one | 'one' is not an int",
            "latency --iterations 0 | --iterations must be 1 to 10000000: --iterations=0",
            "latency --warmup=-1 | --warmup must be >= 0: --warmup=-1",
            "latency --format xml | 'xml'",
            "latency --baseline /missing.csv | cannot read the baseline /missing.csv: no such file or directory",
            "latency --baseline / | cannot read the baseline /: Is a directory",
            "latency --plot / | --plot must end with .svg or .html: --plot=/",
            "latency --plot picture.png | --plot must end with .svg or .html: --plot=picture.png",
            "latency --plot /missing/p.svg | --plot must be in an existing directory: --plot=/missing/p.svg",
            "latency --histograms /dev/null | cannot create the directory /dev/null (--histograms): a file",
            "latency --histograms /dev/null/x | cannot create the directory /dev/null/x (--histograms)",
            "latency --npes 2,0 | -n must be >= 1: -n=0",
            "latency --npes 2,two | 'two'",
            "latency --rate 0 | --rate must be 1 to 1000000000 calls per second: --rate=0",
            "latency --rate fast | 'fast'",
            "latency --rate 10 --op put_bw | --rate measures calls that are timed one by one, not --op=put_bw",
            "latency --rate 10 --op usual,put_bw | --rate measures calls that are timed one by one, not --op=put_bw",
            "latency --root-shift --op reduce | --root-shift requires a collective with a root: --op=reduce",
            "latency --matrix --op barrier | --matrix measures pingpong, one-sided operations and their rates, not" +
                " --op=barrier",
            "latency --matrix -n 1 --op put | --matrix requires 2 PEs or more: -n=1",
            "latency --from-start=999ms | --from-start must be 1s to 1h: --from-start=999ms",
            "latency --from-start=2h | --from-start must be 1s to 1h",
            "latency --from-start --matrix | --from-start excludes --rate, --root-shift, --matrix,",
            "latency --from-start --warmup 1 | --from-start excludes --iterations, --warmup, --baseline and --pin",
            "latency --pin x | --pin must be a list of processors such as 0-3,8: --pin=x",
            "latency --pin 0 | --pin must list a processor for each of 2 PEs: --pin=0",
            "latency --pin 0,99999 | --pin must list processors that this process may use,",
            "latency --pin 0,0 --no-pin | --pin and --no-pin exclude each other",
            "bandwidth --matrix --op put_bibw | --matrix measures one pair at a time, not --op=put_bibw",
            "bandwidth --matrix --op histo | --matrix measures one pair at a time, not --op=histo",
            "bandwidth --matrix --op all,histo | --matrix measures one pair at a time, not --op=histo",
            "bandwidth --matrix --all-pes | --matrix and --all-pes exclude each other",
            "bandwidth --heap-kind device --op gups | --heap-kind device does not measure --op=gups",
            "bandwidth --traffic swarm | --traffic must be next, pairs, incast, outcast, all, random or a file: ",
            "bandwidth --traffic pairs -n 3 | --traffic pairs requires an even number of PEs: -n=3",
            "bandwidth --traffic incast -n 1 | --traffic requires 2 PEs or more: -n=1",
            "bandwidth --traffic /dev/null | or a file: not a regular file",
            "bandwidth --traffic next --matrix | --traffic, --window and --threads exclude --matrix and --all-pes",
            "bandwidth --threads 0 | --threads must be 1 to 256: --threads=0",
            "bandwidth --window=-1 | --window must be 1 to 10000000: --window=-1",
            "bandwidth --window 0 | --window must be 1 to 10000000: --window=0",
            "bandwidth --window 64 --op put_bibw | apply to the rates up to get_bw, not --op=put_bibw",
            "bandwidth --plot p.txt | --plot must end with .svg or .html: --plot=p.txt",
            "latency --transport pigeon | aeroshmem.transport=pigeon",
            "driver /missing.properties | cannot read the properties file /missing.properties: no such file",
            "driver / | cannot read the properties file /: Is a directory",
            "info --format markdown | --format markdown requires --properties",
            "info --properties --algorithms --format markdown | requires --properties or --algorithms",
            "info --properties --format markdown -n 2 | requires --properties or --algorithms, and nothing else",
            "info -n 0 | -n must be 1 to 4096: -n=0",
            "info -n 100000 | -n must be 1 to 4096: -n=100000",
            "info --hosts a:3000,b:3000 | number of PEs must be 1 to 4096: 6000",
            "info -n 6 --hosts a,b:4 | -n must be 1 to 5",
            "info --hosts a,-x | '-x'",
            "info --format xml | 'xml'",
            "speed | unknown command 'speed'; the commands are run, driver, latency, bandwidth, histogram, stat, info,",
            "speed --help | unknown command 'speed'; the commands are run,",
            "help speed | 'speed'",
            "--bandwidth | Unknown option: '--bandwidth'",
            "info --bandwidth | Unknown option: '--bandwidth'",
            "info --bandwidth --help | Unknown option: '--bandwidth'",
            "replace | Missing required parameters: 'JOB', 'PE'",
            "replace a b | 'b'",
            "resize | Missing required parameters: 'JOB', 'N'",
            "resize a b | 'b'",
            "clean twice | 'twice'",
            "gpu-header /dev/null | cannot write headers to /dev/null",
            "gpu-header a b | 'b'",
            "simulate --pes 0 | the number of PEs must be 1 to 4096: 0 hosts of 1",
            "simulate --shape 65x64 | the number of PEs must be 1 to 4096: 65 hosts of 64",
            "simulate --shape 4 | '4' is not HOSTSxPES, such as 32x128",
            "simulate --pes 4 --bytes 12 | --bytes must be a multiple of 8, from 8 to 134217720 on 4 PEs: --bytes=12",
            "simulate --pes 513 --op alltoall | --op alltoall is for up to 512 PEs: 513",
            "simulate --op jump | 'jump'",
            "simulate --network 1,2,3 | a link must be latency,overhead,gap,byte in nanoseconds",
            "driver --metrics-port 65536 | --metrics-port must be 0 to 65535: --metrics-port=65536",
            "bandwidth --op barrier | --op must be a rate, 'barrier' is measured by 'aeroshmem latency'",
            "bandwidth --op jump | unknown operation 'jump': allowed: all, put_rate, atomic_add_rate, get_rate,",
            "bandwidth --sizes 0 | bytes: --sizes=0",
            "bandwidth --iterations 0 | --iterations must be 1 to 10000000: --iterations=0",
            "completion zsh | 'zsh'",
            "stat everything | 'everything'",
            "stat --interval 0 | duration must be > 0: duration=0",
            "stat --interval 500us | --interval must be >= 1ms: --interval=500us",
            "stat errors --format json | --format json is for jobs only",
            "stat operations --format openmetrics | --format openmetrics is for jobs only",
            "stat --aeron-dir / | --aeron-dir is for streams only",
            "stat errors --aeron-dir / | --aeron-dir is for streams only",
            "stat streams --aeron-dir /missing/driver | no media driver has its directory at /missing/driver",
        })
    void shouldReportAnInvalidArgumentInOneLine(final String arguments, final String expected)
    {
        final int exitCode = execute(arguments.split(" "));

        final String text = error.toString();
        assertEquals(ExitCode.USAGE, exitCode, text);
        assertEquals(1, text.lines().count(), text);
        assertTrue(text.contains(expected), text);
        assertTrue(text.startsWith("aeroshmem"), text);
        assertEquals("", output.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value =
        {
            "\\u00zz=1 | Malformed \\uxxxx encoding",
            "a\u0000b=1 | it is not a text",
        })
    void shouldRejectMalformedProperties(final String content, final String expected, @TempDir final Path directory)
        throws IOException
    {
        final Path file = Files.writeString(directory.resolve("driver.properties"), content);
        assertEquals(ExitCode.USAGE, execute("driver", file.toString()));
        assertEquals("aeroshmem: cannot read the properties file " + file + ": " + expected,
            error.toString().replaceFirst("\\.\\s*$", "").strip());
    }

    @Test
    void shouldNameTheThreadingModesOfTheDriver()
    {
        System.setProperty("aeron.threading.mode", "FAST");
        try
        {
            assertEquals(ExitCode.USAGE, execute("driver", "--check"));
        }
        finally
        {
            System.clearProperty("aeron.threading.mode");
        }

        assertEquals("aeroshmem: aeron.threading.mode must be one of [INVOKER, SHARED, SHARED_NETWORK, DEDICATED]:" +
            " aeron.threading.mode=FAST", error.toString().strip());
    }

    @Test
    void shouldPrintItsUsageAsAnErrorWhenACommandIsMissing()
    {
        assertEquals(ExitCode.USAGE, execute());
        assertTrue(error.toString().startsWith("Usage: aeroshmem"), error::toString);
        assertEquals("", output.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = { "run", "driver", "latency", "bandwidth", "histogram", "stat", "info", "clean", "replace",
        "resize" })
    void shouldPrintTheHelpOfACommand(final String command)
    {
        assertEquals(ExitCode.OK, execute(command, "--help"));
        final String help = output.toString();
        assertTrue(help.startsWith("Usage: aeroshmem " + command), help);
        assertTrue(help.lines().allMatch((line) -> line.length() <= 80), help);

        assertEquals(ExitCode.OK, execute("help", command));
        assertEquals(help + help, output.toString());
        assertEquals("", error.toString());
    }

    @Test
    void shouldPrintACompletionScript() throws Exception
    {
        assertEquals(ExitCode.OK, execute("completion"));
        final Process bash = new ProcessBuilder("bash", "-c",
            "source /dev/stdin; COMP_WORDS=(aeroshmem hi); COMP_CWORD=1; _complete_aeroshmem; echo ${COMPREPLY[@]}")
            .redirectErrorStream(true).start();
        try (OutputStream input = bash.getOutputStream())
        {
            input.write(output.toString().getBytes(StandardCharsets.UTF_8));
        }

        final String completed = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("histogram", completed.trim());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-J-Daeroshmem.heap.size=many", "-J-Daeroshmem.haep.size=1m"})
    void shouldRestoreThePropertiesItChecks(final String rejected)
    {
        execute("run", "-n", "2", "-J-Daeroshmem.heap.size=1m", rejected, HELLO);

        assertFalse(System.getProperties().containsKey("aeroshmem.heap.size"));
    }

    @Test
    void shouldRestoreAnEmptyProperty()
    {
        System.setProperty("aeroshmem.heap.size", "");
        try
        {
            execute("run", "-n", "2", "-J-Daeroshmem.heap.size=1m", "-J-Daeroshmem.heap.size=many", HELLO);

            assertEquals("", System.getProperty("aeroshmem.heap.size"));
        }
        finally
        {
            System.clearProperty("aeroshmem.heap.size");
        }
    }

    @Test
    void shouldPrintThePropertiesAndTheirValues()
    {
        assertEquals(ExitCode.OK, execute("info"));

        final String text = output.toString();
        assertTrue(text.contains("Processors"), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("\\* aeroshmem\\.heap\\.size +64m")), text);
        assertFalse(text.contains("dissemination"), text);
    }

    @ParameterizedTest
    @CsvSource({ "500ms, PT0.5S", "10s, PT10S", "5m, PT5M", "1h, PT1H", "30, PT30S", "20us, PT0.00002S" })
    void shouldReadDurations(final String text, final Duration expected)
    {
        assertEquals(expected, new DurationConverter().convert(text));
    }

    @ParameterizedTest
    @CsvSource({ "''", "0", "s", "-1s", "1.5s", "5 parsecs" })
    void shouldRejectMalformedDurations(final String text)
    {
        assertThrows(TypeConversionException.class, () -> new DurationConverter().convert(text));
    }

    private int execute(final String... arguments)
    {
        final CommandLine commandLine = AeroShmemCommand.commandLine();
        commandLine.setOut(new PrintWriter(output));
        commandLine.setErr(new PrintWriter(error));
        return commandLine.execute(arguments);
    }
}
