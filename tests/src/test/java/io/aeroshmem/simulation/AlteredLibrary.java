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
package io.aeroshmem.simulation;

import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A copy of the library and of the tests, with classes whose sources differ in a few places. What else the class loader
 * loads, it loads as it is.
 */
public final class AlteredLibrary extends ClassLoader
{
    private static final String PREFIX = "io.aeroshmem.";

    private final Map<String, ByteArrayOutputStream> altered = new HashMap<>();

    /**
     * @param texts of the altered classes, by the names of their source files.
     */
    public AlteredLibrary(final Map<String, String> texts)
    {
        super(AlteredLibrary.class.getClassLoader());
        compile(texts);
    }

    /** Returns the text of a source file. */
    public static String read(final Path source)
    {
        try
        {
            return Files.readString(source);
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Returns a source in which a text is replaced that occurs once, whatever the white space in it. */
    public static String replaceOnce(
        final String file, final String source, final String text, final String replacement)
    {
        final Matcher matcher = Pattern.compile(
            Stream.of(text.strip().split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+")))
            .matcher(source);
        if (!matcher.find())
        {
            throw new IllegalArgumentException(file + " does not contain: " + text);
        }

        final String changed = source.substring(0, matcher.start()) + replacement + source.substring(matcher.end());
        if (matcher.find())
        {
            throw new IllegalArgumentException(file + " contains twice: " + text);
        }

        return changed;
    }

    private void compile(final Map<String, String> texts)
    {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        final List<Source> sources = texts.entrySet().stream()
            .map((entry) -> new Source(entry.getKey(), entry.getValue())).toList();
        final boolean isCompiled = compiler.getTask(
            null,
            new Output(compiler.getStandardFileManager(problems, null, null)),
            problems,
            List.of("-proc:none", "-nowarn", "-classpath", System.getProperty("java.class.path")),
            null,
            sources).call();
        if (!isCompiled)
        {
            throw new IllegalArgumentException(texts.keySet() + ": " + problems.getDiagnostics());
        }
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean isResolved) throws ClassNotFoundException
    {
        if (!name.startsWith(PREFIX))
        {
            return super.loadClass(name, isResolved);
        }

        synchronized (getClassLoadingLock(name))
        {
            final Class<?> loaded = findLoadedClass(name);
            return null == loaded ? define(name) : loaded;
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException
    {
        final byte[] bytes;
        if (altered.containsKey(name))
        {
            bytes = altered.get(name).toByteArray();
        }
        else
        {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class"))
            {
                if (null == in)
                {
                    throw new ClassNotFoundException(name);
                }

                bytes = in.readAllBytes();
            }
            catch (final IOException ex)
            {
                throw new ClassNotFoundException(name, ex);
            }
        }

        return defineClass(name, bytes, 0, bytes.length);
    }

    /** What the compiler reads. */
    private static final class Source extends SimpleJavaFileObject
    {
        private final String text;

        Source(final String name, final String text)
        {
            super(URI.create("memory:///" + name), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(final boolean ignoreEncodingErrors)
        {
            return text;
        }
    }

    /** Keeps what the compiler writes. */
    private final class Output extends ForwardingJavaFileManager<JavaFileManager>
    {
        Output(final JavaFileManager manager)
        {
            super(manager);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
            final Location location, final String name, final JavaFileObject.Kind kind, final FileObject sibling)
        {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + kind.extension), kind)
            {
                @Override
                public OutputStream openOutputStream()
                {
                    altered.put(name, new ByteArrayOutputStream());
                    return altered.get(name);
                }
            };
        }
    }
}
