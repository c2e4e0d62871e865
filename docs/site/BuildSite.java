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
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.gfm.tables.internal.TableHtmlNodeRenderer;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
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
import java.util.stream.Stream;

/**
 * Renders the README and docs/ as HTML. Pages keep their places in the tree, so that their links remain valid; files
 * that they link to outside docs/ are copied as text. A link whose text is the name of a page's file is shown with the
 * title of the page. A link to a file or a heading that does not exist is an error.
 * build-site.sh runs this class as a source file.
 */
public final class BuildSite
{
    private static final List<String> ROOT_PAGES = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md");
    private static final String JAVADOC = "javadoc/index.html";

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
        Files.createDirectories(site);
        Files.copy(
            root.resolve("docs/site/style.css"),
            site.resolve("style.css"),
            StandardCopyOption.REPLACE_EXISTING);
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
        });
        final String up = "../".repeat(page.getNameCount() - 1);
        final HtmlRenderer renderer = HtmlRenderer.builder()
            .extensions(List.of(TablesExtension.create()))
            .nodeRendererFactory(WideTable::new)
            .attributeProviderFactory((context) -> (node, tag, attributes) ->
            {
                if (node instanceof Heading heading)
                {
                    attributes.put("id", anchor(text(heading)));
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
            <header><a class="home" href="%sindex.html">AeroSHMEM</a></header>
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
            </body>
            </html>
            """.formatted(escaped(title(page)), up, up, menu(page, up), renderer.render(document)));
    }

    /** The pages, grouped by directory. */
    private String menu(final Path current, final String up)
    {
        final Map<String, StringBuilder> groups = new LinkedHashMap<>();
        for (final Path page : pages.keySet())
        {
            final String group = null == page.getParent() ? "Project" : switch (page.getParent().toString())
            {
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

        return relative(page, copy(page, target));
    }

    private Path copy(final Path page, final Path target)
    {
        final Path copy = target.resolveSibling(target.getFileName() + ".txt");
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
