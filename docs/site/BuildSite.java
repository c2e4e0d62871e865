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

import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.gfm.tables.internal.TableHtmlNodeRenderer;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Renders the README and docs/ as HTML, with a search over their sections and the types of the API. Pages keep their
 * places in the tree, so that their links remain valid; files that they link to outside docs/ are copied as text. A link
 * whose text is the name of a page's file is shown with the title of the page. A link to a file or a heading that does
 * not exist is an error.
 * build-site.sh runs this class as a source file.
 */
public final class BuildSite
{
    private static final List<String> ROOT_PAGES = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md");
    private static final String JAVADOC = "javadoc/index.html";
    private static final List<String> FILES = List.of(
        "style.css",
        "search.js",
        "minisearch/minisearch.js",
        "minisearch/LICENSE.txt");

    /** Public for the loader of services only. */
    private static final String NOT_API = "CudaProvider";
    private static final Pattern PUBLIC_TYPE = Pattern.compile("(?m)^public .*\\b(class|interface|enum|record) ");
    private static final Pattern PUBLIC_METHOD = Pattern.compile("(?m)^    (?:public )?[A-Za-z<][^=(;]* ([a-z]\\w*)\\([^;{]*\\)?");
    private static final Pattern TYPE_COMMENT = Pattern.compile("(?s)\n/\\*\\*(.*?)\\*/\n(?:@.*?\n)?public ");

    private final Path root;
    private final Path site;
    private final Parser parser = Parser.builder().extensions(List.of(TablesExtension.create())).build();
    private final Map<Path, Node> pages = new LinkedHashMap<>();
    private final Map<Path, Set<String>> anchors = new HashMap<>();
    private final Set<Path> copied = new HashSet<>();
    private final List<String> errors = new ArrayList<>();

    private BuildSite(final Path root, final Path site)
    {
        this.root = root;
        this.site = site;
    }

    /** @param args the root of the repository, and the directory of the site. */
    public static void main(final String[] args) throws IOException
    {
        final BuildSite build = new BuildSite(Path.of(args[0]).toRealPath(), Path.of(args[1]).toAbsolutePath());
        build.read();
        build.write();
        if (!build.errors.isEmpty())
        {
            build.errors.forEach(System.err::println);
            System.exit(1);
        }

        System.out.println(build.pages.size() + " pages: " + build.site.resolve("index.html"));
    }

    private void read() throws IOException
    {
        for (final String name : ROOT_PAGES)
        {
            read(Path.of(name));
        }

        read(Path.of("docs", "start", "low-latency-java.md"));
        read(Path.of("docs", "start", "shmem.md"));
        read(Path.of("docs", "start", "cuda.md"));
        read(Path.of("docs", "start", "operations.md"));
        read(Path.of("docs", "index.md"));
        try (Stream<Path> files = Files.walk(root.resolve("docs")))
        {
            for (final Path file : files.filter((path) -> path.toString().endsWith(".md")).sorted().toList())
            {
                read(root.relativize(file));
            }
        }
    }

    private void read(final Path page) throws IOException
    {
        if (!pages.containsKey(page))
        {
            final Node document = parser.parse(Files.readString(root.resolve(page)));
            pages.put(page, document);
            anchors.put(page, new HashSet<>());
            document.accept(new AbstractVisitor()
            {
                @Override
                public void visit(final Heading heading)
                {
                    anchors.get(page).add(anchor(text(heading)));
                }
            });
        }
    }

    private void write() throws IOException
    {
        for (final String file : FILES)
        {
            final Path target = site.resolve(file);
            Files.createDirectories(target.getParent());
            Files.copy(root.resolve("docs/site").resolve(file), target, StandardCopyOption.REPLACE_EXISTING);
        }

        Files.writeString(site.resolve("search-sections.js"), sections());
        for (final Map.Entry<Path, Node> entry : pages.entrySet())
        {
            write(entry.getKey(), entry.getValue());
        }
    }

    private void write(final Path page, final Node document) throws IOException
    {
        document.accept(new AbstractVisitor()
        {
            @Override
            public void visit(final Link link)
            {
                nameByTitle(page, link);
                link.setDestination(destination(page, link.getDestination()));
            }

            @Override
            public void visit(final Image image)
            {
                image.setDestination(relative(page, copy(page, image.getDestination())));
            }
        });
        final String up = "../".repeat(page.getNameCount() - 1);
        final HtmlRenderer renderer = HtmlRenderer.builder()
            // The first renderer of a node wins.
            .nodeRendererFactory(WideTable::new)
            .extensions(List.of(TablesExtension.create()))
            .attributeProviderFactory((context) -> (node, tag, attributes) ->
            {
                if (node instanceof Heading heading)
                {
                    attributes.put("id", anchor(text(heading)));
                }

                if (node instanceof TableCell cell && !cell.isHeader())
                {
                    attributes.put("data-column", columnName(cell));
                }
            })
            .build();
        final Path target = site.resolve(html(page));
        Files.createDirectories(target.getParent());
        Files.writeString(target, """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>%s</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="%sstyle.css">
            </head>
            <body>
            <header>
            <a class="home" href="%sindex.html">AeroSHMEM</a>
            <search data-root="%s">
            <input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off">
            <ol aria-live="polite" hidden></ol>
            </search>
            </header>
            <div class="columns">
            <nav><details><summary>Contents</summary>
            %s</details></nav>
            <main>
            %s</main>
            </div>
            <script>
            const menu = document.querySelector("nav details");
            const wide = matchMedia("(min-width: 60rem)");
            const adapt = () => { menu.open = wide.matches; };
            wide.addEventListener("change", adapt);
            adapt();
            </script>
            <script src="%ssearch.js" defer></script>
            </body>
            </html>
            """.formatted(escaped(title(page)), up, up, up, menu(page, up), renderer.render(document), up));
    }

    /** The pages, grouped by directory. */
    private String menu(final Path current, final String up)
    {
        final Map<String, StringBuilder> groups = new LinkedHashMap<>();
        for (final Path page : pages.keySet())
        {
            final String group = null == page.getParent() ? "Project" : switch (page.getParent().toString())
            {
                case "docs/start" -> "Start";
                case "docs" -> "Documentation";
                case "docs/features" -> "Features";
                case "docs/bootstraps" -> "Bootstraps";
                case "docs/migrate" -> "Migration";
                case "docs/decisions" -> "Decisions";
                default -> page.getParent().getFileName().toString();
            };
            groups.computeIfAbsent(group, (name) -> new StringBuilder())
                .append("<li><a href=\"").append(up).append(html(page)).append('"')
                .append(page.equals(current) ? " aria-current=\"page\"" : "").append('>')
                .append(escaped(title(page))).append("</a></li>\n");
        }

        final StringBuilder menu = new StringBuilder();
        groups.forEach((name, items) ->
            menu.append("<h2>").append(name).append("</h2>\n<ul>\n").append(items).append("</ul>\n"));
        return menu.append("<h2>API</h2>\n<ul>\n<li><a href=\"").append(up).append(JAVADOC)
            .append("\">Javadoc</a></li>\n</ul>\n").toString();
    }

    private String title(final Path page)
    {
        for (Node node = pages.get(page).getFirstChild(); null != node; node = node.getNext())
        {
            if (node instanceof Heading heading && 1 == heading.getLevel())
            {
                return text(heading);
            }
        }

        errors.add(page + " has no title");
        return page.toString();
    }

    /** Replaces the text of a link that is the name of a page's file. */
    private void nameByTitle(final Path page, final Link link)
    {
        final Path target = page.resolveSibling(link.getDestination()).normalize();
        if (pages.containsKey(target) && link.getFirstChild() instanceof Text name && name.getLiteral().endsWith(".md"))
        {
            name.setLiteral(title(target));
        }
    }

    /** Where a link of a page leads in the site. */
    private String destination(final Path page, final String destination)
    {
        if (destination.matches("[a-z]+:.*"))
        {
            return destination;
        }

        final int hash = destination.indexOf('#');
        final String file = hash < 0 ? destination : destination.substring(0, hash);
        final String anchor = hash < 0 ? "" : destination.substring(hash);
        final Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (pages.containsKey(target))
        {
            if (!anchor.isEmpty() && !anchors.get(target).contains(anchor.substring(1)))
            {
                errors.add(page + ": no heading " + destination);
            }

            return file.isEmpty() ? anchor : relative(page, html(target)) + anchor;
        }

        if (Files.isDirectory(root.resolve(target)))
        {
            return relative(page, html(Path.of("docs", "index.md")));
        }

        return relative(page, copy(page, target, target.resolveSibling(target.getFileName() + ".txt")));
    }

    private Path copy(final Path page, final String picture)
    {
        final Path target = page.resolveSibling(picture).normalize();
        return copy(page, target, target);
    }

    private Path copy(final Path page, final Path target, final Path copy)
    {
        if (copied.add(target))
        {
            try
            {
                Files.createDirectories(site.resolve(copy).getParent());
                Files.write(site.resolve(copy), Files.readAllBytes(root.resolve(target)));
            }
            catch (final IOException ex)
            {
                errors.add(page + " links to " + target + ": " + ex);
            }
        }

        return copy;
    }

    private static String relative(final Path page, final Path target)
    {
        final Path folder = null == page.getParent() ? Path.of("") : page.getParent();
        return folder.relativize(target).toString();
    }

    private static Path html(final Path page)
    {
        return page.equals(Path.of("README.md")) ? Path.of("index.html") :
            page.resolveSibling(page.getFileName().toString().replaceAll("[.]md$", ".html"));
    }

    /** The documents of the search as JavaScript, which a page can load from a file too: sections and types of the API. */
    private String sections() throws IOException
    {
        final List<String> documents = new ArrayList<>();
        for (final Map.Entry<Path, Node> entry : pages.entrySet())
        {
            final String page = html(entry.getKey()).toString();
            String heading = title(entry.getKey());
            String place = page;
            final StringBuilder text = new StringBuilder();
            for (Node node = entry.getValue().getFirstChild(); null != node; node = node.getNext())
            {
                if (node instanceof Heading next && next.getLevel() > 1)
                {
                    documents.add(document(place, title(entry.getKey()), heading, text.toString()));
                    text.setLength(0);
                    heading = text(next);
                    place = page + '#' + anchor(heading);
                }
                else if (!(node instanceof Heading))
                {
                    text.append(text(node)).append(' ');
                }
            }

            documents.add(document(place, title(entry.getKey()), heading, text.toString()));
        }

        for (final String sources : List.of("shmem-core/src/main/java/io/aeroshmem", "gpu/src/main/java/io/aeroshmem/gpu"))
        {
            addTypes(root.resolve(sources), documents);
        }

        return "window.searchSections = [\n" + String.join(",\n", documents) + "\n];\n";
    }

    private static void addTypes(final Path sources, final List<String> documents) throws IOException
    {
        try (Stream<Path> files = Files.list(sources))
        {
            for (final Path file : files.filter((path) -> path.toString().endsWith(".java")).sorted().toList())
            {
                final String source = Files.readString(file);
                final String type = file.getFileName().toString().replace(".java", "");
                if (PUBLIC_TYPE.matcher(source).find() && !NOT_API.equals(type))
                {
                    final String folder = sources.toString().replaceAll(".*/java/", "");
                    final Matcher comment = TYPE_COMMENT.matcher(source);
                    final Set<String> methods = new TreeSet<>();
                    PUBLIC_METHOD.matcher(source).results().forEach((result) -> methods.add(result.group(1)));
                    documents.add(document(
                        "javadoc/" + folder + '/' + type + ".html",
                        "API",
                        type,
                        (comment.find() ? comment.group(1).replaceAll("\\s*[*] ?|<[^>]*>|[{]@\\w+ |[}]", " ") : "") +
                            String.join(" ", methods)));
                }
            }
        }
    }

    private static String document(final String place, final String page, final String heading, final String text)
    {
        return "{\"id\":" + quoted(place) + ",\"page\":" + quoted(page) + ",\"heading\":" + quoted(heading) +
            ",\"text\":" + quoted(text.strip()) + '}';
    }

    /** A string of JavaScript that may also stand in a script element. */
    private static String quoted(final String text)
    {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s+", " ").replace("</", "<\\/") + '"';
    }

    private static String columnName(final TableCell cell)
    {
        int column = 0;
        for (Node left = cell.getPrevious(); null != left; left = left.getPrevious())
        {
            column++;
        }

        final Node head = cell.getParent().getParent().getParent().getFirstChild();
        Node name = head.getFirstChild().getFirstChild();
        for (int i = 0; i < column && null != name; i++)
        {
            name = name.getNext();
        }

        return null == name ? "" : text(name);
    }

    /** The id that GitHub gives to a heading. */
    private static String anchor(final String heading)
    {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
    }

    private static String text(final Node node)
    {
        final StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor()
        {
            @Override
            public void visit(final Text part)
            {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(final Code part)
            {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(final FencedCodeBlock part)
            {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(final SoftLineBreak part)
            {
                text.append(' ');
            }

            @Override
            public void visit(final CustomNode part)
            {
                visitChildren(part);
                text.append(' ');
            }

            @Override
            public void visit(final Paragraph part)
            {
                visitChildren(part);
                text.append(' ');
            }
        });
        return text.toString();
    }

    private static String escaped(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    /** A table in an element that scrolls, so that a wide one does not widen the page. */
    private static final class WideTable implements NodeRenderer
    {
        private final HtmlNodeRendererContext context;
        private final NodeRenderer table;

        private WideTable(final HtmlNodeRendererContext context)
        {
            this.context = context;
            table = new TableHtmlNodeRenderer(context);
        }

        @Override
        public Set<Class<? extends Node>> getNodeTypes()
        {
            return Set.of(TableBlock.class);
        }

        @Override
        public void render(final Node node)
        {
            context.getWriter().tag("div", Map.of("class", "wide", "tabindex", "0"));
            table.render(node);
            context.getWriter().tag("/div");
        }
    }
}
