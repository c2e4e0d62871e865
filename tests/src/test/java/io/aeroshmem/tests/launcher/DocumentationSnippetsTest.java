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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import io.aeroshmem.tools.AeroShmemCommand;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compiles and runs every block of Java in the README, in CONTRIBUTING and in docs/.
 * <p>
 * A block that declares a class is compiled as it is: a program is run as a job, the methods of a test are called. Any
 * other is the body of a method of a subclass of {@code SnippetScope}, a resource of this test, which declares the
 * names that the blocks of the documentation share, or of {@code DeviceScope} if it needs a device, that of the
 * simulated driver. In all, {@code …} and {@code ...} stand for code that is left out: of a whole line, or of the value
 * of a variable, which the scope knows.
 */
@Tag("ci")
@Timeout(120)
class DocumentationSnippetsTest
{
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```java\\n(.*?)^ *```$");
    private static final Pattern DECLARATION =
        Pattern.compile("(?m)^(?:public |final |abstract )*(?:class|interface|enum|record) (\\w+)");

    private static final Pattern DEVICE = Pattern.compile("\\bgpu\\b");
    private static final String SCOPE = "SnippetScope";
    private static final String DEVICE_SCOPE = "DeviceScope";

    @TempDir
    static Path classes;

    private static List<Snippet> snippets;

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @BeforeAll
    static void compile() throws IOException
    {
        snippets = new ArrayList<>();
        for (final Path page : pages())
        {
            final Matcher matcher = BLOCK.matcher(Files.readString(page));
            while (matcher.find())
            {
                snippets.add(Snippet.of(page, snippets.size(), matcher.group(2)));
            }
        }

        compile(snippets);
    }

    @Test
    void shouldRunThePrograms() throws Exception
    {
        for (final Snippet program : snippets(Run.PROGRAM, 4))
        {
            run(List.of(program.className), program);
        }
    }

    @Test
    void shouldPassTheTests() throws Exception
    {
        for (final Snippet snippet : snippets(Run.TEST, 1))
        {
            int count = 0;
            try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}))
            {
                final Constructor<?> constructor = loader.loadClass(snippet.className).getDeclaredConstructor();
                constructor.setAccessible(true);
                for (final Method method : constructor.getDeclaringClass().getDeclaredMethods())
                {
                    if (method.isAnnotationPresent(Test.class))
                    {
                        method.setAccessible(true);
                        method.invoke(constructor.newInstance());
                        count++;
                    }
                }
            }

            assertTrue(count >= 1, "no test in " + snippet);
        }
    }

    @Test
    void shouldRunTheStatements() throws Exception
    {
        runInScope(SCOPE, snippets(Run.STATEMENTS, 12));
    }

    @Test
    void shouldRunTheStatementsThatNeedADevice() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        runInScope(DEVICE_SCOPE, snippets(Run.DEVICE_STATEMENTS, 1));
    }

    @Test
    void shouldRunTheJobsThatNeedADevice() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        for (final Snippet job : snippets(Run.DEVICE_JOB, 1))
        {
            run(List.of(SCOPE, "--alone", job.className), job);
        }
    }

    private void runInScope(final String scope, final List<Snippet> statements) throws Exception
    {
        final List<String> program = new ArrayList<>(List.of(scope));
        statements.forEach((snippet) -> program.add(snippet.className));
        run(program, statements);
    }

    private void run(final List<String> program, final Object what) throws Exception
    {
        // behind the others, as the archive of classes is made for those that the class path begins with
        final List<String> command = ChildJvm.briefCommand();
        final int classPath = command.indexOf("-cp") + 1;
        command.set(classPath, command.get(classPath) + File.pathSeparator + classes);
        command.addAll(List.of(AeroShmemCommand.class.getName(), "run", "-n", "2"));
        ChildJvm.briefOptions().forEach((option) -> command.add("-J" + option));
        command.addAll(program);
        final CommandProcess run = CommandProcess.run(root.path(), command);
        assertEquals(0, run.exitCode(), what + ": " + run);
    }

    private static List<Snippet> snippets(final Run run, final int leastCount)
    {
        final List<Snippet> selected = snippets.stream().filter((snippet) -> run == snippet.run).toList();
        assertTrue(selected.size() >= leastCount, run + ": " + selected);
        return selected;
    }

    private static List<Path> pages() throws IOException
    {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs")))
        {
            return Stream.concat(
                Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
                docs.filter((path) -> path.toString().endsWith(".md")).sorted()).toList();
        }
    }

    private static void compile(final List<Snippet> snippets) throws IOException
    {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        final List<Snippet> sources = new ArrayList<>(snippets);
        sources.add(scope(SCOPE));
        sources.add(scope(DEVICE_SCOPE));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(diagnostics, null, null))
        {
            compiler.getTask(
                null,
                files,
                diagnostics,
                List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none"),
                null,
                sources).call();
        }

        assertEquals("", diagnostics.getDiagnostics().stream()
            .filter((diagnostic) -> Diagnostic.Kind.ERROR == diagnostic.getKind())
            .map(DocumentationSnippetsTest::describe)
            .collect(Collectors.joining("\n")));
    }

    private static String describe(final Diagnostic<? extends JavaFileObject> diagnostic)
    {
        if (!(diagnostic.getSource() instanceof Snippet snippet))
        {
            return diagnostic.toString();
        }

        return snippet.page + ": " + diagnostic.getMessage(null) + ": " +
            snippet.source.lines().skip(diagnostic.getLineNumber() - 1).findFirst().orElse("");
    }

    private static Snippet scope(final String name) throws IOException
    {
        final String file = name + ".txt";
        try (InputStream in = DocumentationSnippetsTest.class.getResourceAsStream(file))
        {
            return new Snippet(Path.of(file), name, new String(in.readAllBytes(), StandardCharsets.UTF_8), Run.SCOPE);
        }
    }

    /** How a block is run. */
    private enum Run
    {
        SCOPE, PROGRAM, TEST, STATEMENTS, DEVICE_STATEMENTS, DEVICE_JOB;

        private static Run ofStatements(final String code)
        {
            if (!DEVICE.matcher(code).find())
            {
                return STATEMENTS;
            }

            return code.startsWith("Shmem.run(") ? DEVICE_JOB : DEVICE_STATEMENTS;
        }
    }

    /** A block as a source file. */
    private static final class Snippet extends SimpleJavaFileObject
    {
        private final Path page;
        private final String className;
        private final String source;
        private final Run run;

        private Snippet(
            final Path page, final String className, final String source, final Run run)
        {
            super(
                URI.create("string:///" + className.replace('.', '/') + JavaFileObject.Kind.SOURCE.extension),
                JavaFileObject.Kind.SOURCE);
            this.page = page;
            this.className = className;
            this.source = source;
            this.run = run;
        }

        private static Snippet of(final Path page, final int number, final String block)
        {
            final String code = block
                .replaceAll("(?m)^ *(?:…|\\.\\.\\.)$", "")
                .replaceAll("= (?:…|\\.\\.\\.);", "= any();");
            final Matcher declaration = DECLARATION.matcher(code);
            if (declaration.find())
            {
                final Matcher declaredPackage = Pattern.compile("(?m)^package ([\\w.]+);").matcher(code);
                final String prefix = declaredPackage.find() ? declaredPackage.group(1) + '.' : "";
                return new Snippet(
                    page,
                    prefix + declaration.group(1),
                    code,
                    code.contains("public static void main(") ?
                        Run.PROGRAM : Run.TEST);
            }

            final String name = "Snippet" + number;
            final Run run = Run.ofStatements(code);
            return new Snippet(
                page,
                name,
                "import io.aeroshmem.*;\nimport io.aeroshmem.gpu.*;\nimport java.io.*;\nimport java.nio.ByteBuffer;\n" +
                    "import jcuda.driver.*;\nimport org.agrona.concurrent.*;\nclass " + name + " extends " +
                    (Run.DEVICE_STATEMENTS == run ? DEVICE_SCOPE : SCOPE) +
                    "\n{\nvoid run() throws Exception\n{\n" + code +
                    (code.contains("Bootstrap bootstrap =") ? "start(bootstrap);\n" : "") + "}\n}\n",
                run);
        }

        @Override
        public CharSequence getCharContent(final boolean ignoreEncodingErrors)
        {
            return source;
        }

        @Override
        public String toString()
        {
            return page + " (" + className + ")";
        }
    }
}
