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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The generator of classes that have the same methods for several types or operations. The build runs it:
 * {@code java GenerateTyped.java <folder of templates> <output folder>}. A template, such as TypedContext.java.template
 * in the folder of its package, is the class itself, but for lines
 * <pre>
 * #for type byte int
 * …
 * #end
 * </pre>
 * whose text is written once for each word, with the word in place of {@code @type@}, capitalised in place of
 * {@code @Type@}, and in upper case in place of {@code @TYPE@}. Where it is a primitive type, {@code @Box@} is the
 * class that boxes it, and {@code @word@} and {@code @Word@} the integer with its bits. Such blocks may contain others.
 */
public final class GenerateTyped
{
    private static final String SUFFIX = ".template";
    private static final Map<String, String> BOXES = Map.of(
        "byte", "Byte", "short", "Short", "int", "Integer", "long", "Long", "float", "Float", "double", "Double");
    private static final Map<String, String> WORDS = Map.of("float", "int", "double", "long");

    private GenerateTyped()
    {
    }

    /**
     * Writes the classes.
     *
     * @param args the folder of the templates and that of the generated sources.
     * @throws IOException if a file cannot be read or written.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path templates = Path.of(args[0]);
        try (Stream<Path> files = Files.walk(templates))
        {
            for (final Path file : files.filter((one) -> one.toString().endsWith(SUFFIX)).toList())
            {
                final String name = templates.relativize(file).toString();
                final Path output = Path.of(args[1], name.substring(0, name.length() - SUFFIX.length()));
                Files.createDirectories(output.getParent());
                Files.writeString(output, expanded(Files.readAllLines(file).iterator()));
            }
        }
    }

    /** Returns the text up to the end of the block or the file. */
    private static String expanded(final Iterator<String> lines)
    {
        final StringBuilder text = new StringBuilder();
        while (lines.hasNext())
        {
            final String line = lines.next();
            if ("#end".equals(line))
            {
                break;
            }
            else if (line.startsWith("#for "))
            {
                final List<String> words = List.of(line.split(" "));
                final String block = expanded(lines);
                words.subList(2, words.size()).forEach((word) -> text.append(replaced(block, words.get(1), word)));
            }
            else
            {
                text.append(line).append('\n');
            }
        }

        return text.toString();
    }

    private static String replaced(final String block, final String variable, final String word)
    {
        final String bits = WORDS.getOrDefault(word, word);
        final String text = block
            .replace("@" + variable + "@", word)
            .replace("@" + capitalised(variable) + "@", capitalised(word))
            .replace("@" + variable.toUpperCase(Locale.ROOT) + "@", word.toUpperCase(Locale.ROOT));
        return !BOXES.containsKey(word) ? text : text
            .replace("@Box@", BOXES.get(word))
            .replace("@word@", bits)
            .replace("@Word@", capitalised(bits));
    }

    private static String capitalised(final String word)
    {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
