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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
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
 * Compiles every block of Java in the README and in docs/. Those that are programs are run, and those that are
 * complete, that leave nothing out and need neither a device nor another library.
 * <p>
 * A block that declares a class is compiled as it is. Any other is the body of a method of a subclass of {@code
 * SnippetScope}, a resource of this test, which declares the names that the blocks of the documentation share. In both,
 * {@code …} and {@code ...} stand for code that is left out: of a whole line, or of the value of a variable.
 */
@Timeout(120)
class DocumentationSnippetsTest
{
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```java\\n(.*?)^ *```$");
    private static final Pattern DECLARATION =
        Pattern.compile("(?m)^(?:public |final |abstract )*(?:class|interface|enum|record) (\\w+)");

    private static final Pattern INCOMPLETE = Pattern.compile("\\b(?:gpu|MPI)\\b");

    @TempDir
    Path directory;

    @Test
    void shouldCompileAndRun() throws Exception
    {
        final List<Snippet> snippets = new ArrayList<>();
        for (final Path page : pages())
        {
            final Matcher matcher = BLOCK.matcher(Files.readString(page));
            while (matcher.find())
            {
                snippets.add(Snippet.of(page, snippets.size(), matcher.group(2)));
            }
        }
        assertTrue(snippets.size() >= 10, "count=" + snippets.size());

        final Path classes = Files.createDirectory(directory.resolve("classes"));
        compile(snippets, classes);

        final List<Snippet> programs = snippets.stream().filter(Snippet::isProgram).toList();
        assertTrue(programs.size() >= 4, "count=" + programs.size());
        for (final Snippet program : programs)
        {
            final CommandJvm command = new CommandJvm(directory)
                .run("run", "-n", "2", "-J-XX:TieredStopAtLevel=1", "-cp", classes.toString(), program.className);
            assertEquals(0, command.exitCode(), program.page + ": " + command);
        }

        final List<String> complete =
            snippets.stream().filter((snippet) -> snippet.isComplete).map((snippet) -> snippet.className).toList();
        assertTrue(complete.size() >= 11, "count=" + complete.size());
        final List<String> arguments = new ArrayList<>(
            List.of("run", "-n", "2", "-J-XX:TieredStopAtLevel=1", "-cp", classes.toString(), "SnippetScope"));
        arguments.addAll(complete);
        final CommandJvm command = new CommandJvm(directory).run(arguments.toArray(new String[0]));
        assertEquals(0, command.exitCode(), complete + ": " + command);
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

    private static void compile(final List<Snippet> snippets, final Path classes) throws IOException
    {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        final List<Snippet> sources = new ArrayList<>(snippets);
        sources.add(scope());
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

    private static Snippet scope() throws IOException
    {
        try (InputStream in = DocumentationSnippetsTest.class.getResourceAsStream("SnippetScope.txt"))
        {
            return new Snippet(
                Path.of("SnippetScope.txt"),
                "SnippetScope",
                new String(in.readAllBytes(), StandardCharsets.UTF_8),
                false);
        }
    }

    /** A block as a source file. */
    private static final class Snippet extends SimpleJavaFileObject
    {
        private final Path page;
        private final String className;
        private final String source;
        private final boolean isComplete;

        private Snippet(final Path page, final String className, final String source, final boolean isComplete)
        {
            super(URI.create("string:///" + className.replace('.', '/') + Kind.SOURCE.extension), Kind.SOURCE);
            this.page = page;
            this.className = className;
            this.source = source;
            this.isComplete = isComplete;
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
                return new Snippet(page, prefix + declaration.group(1), code, false);
            }

            final String name = "Snippet" + number;
            return new Snippet(
                page,
                name,
                "import io.aeroshmem.*;\nimport io.aeroshmem.gpu.*;\nimport java.io.*;\nimport java.nio.ByteBuffer;\n" +
                    "import jcuda.driver.*;\nimport org.agrona.concurrent.*;\nclass " + name +
                    " extends SnippetScope\n{\nvoid run() throws Exception\n{\n" + code + "}\n}\n",
                code.equals(block) && !INCOMPLETE.matcher(code).find());
        }

        private boolean isProgram()
        {
            return source.contains("public static void main(");
        }

        @Override
        public CharSequence getCharContent(final boolean ignoreEncodingErrors)
        {
            return source;
        }
    }
}
