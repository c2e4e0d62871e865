/*
 * Opens all pages of the site in Chromium, at three widths: no error on the console, no file that is missing, no link that leads
 * nowhere, nothing wider than the window, tables that fit 500 px; a search that finds; Javadoc of the API only.
 *
 *   node check-site.mjs SITE CHROMIUM
 */
import { chromium } from "playwright-core";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [site, executablePath] = [resolve(process.argv[2]), process.argv[3]];
const widths = [360, 500, 1200];
const widestOfTables = 500;
// What a person types, from which page, and a part of the address of one of the first results.
const searches = [
  ["index.html", "putSignal", "signals.html"],
  ["docs/features/rma.html", "retained memory", "recovery.html"],
  ["docs/index.html", "GpuStream", "javadoc/io/aeroshmem/gpu/GpuStream.html"],
  ["docs/start/shmem.html", "shmem_barrier_all", "openshmem.html"],
  ["docs/migrate/nvshmem.html", "kubernetes pod", "containers.html"],
  ["index.html", "protocol version must be", ".html"]
];
const packages = ["io.aeroshmem", "io.aeroshmem.gpu", "io.aeroshmem.simulation"];
const notApi = ["CudaProvider"];

const errors = [];
const fail = (page, what) => errors.push(`${page}: ${what}`);
const url = (page) => pathToFileURL(join(site, page)).href;

const pages = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html") && !name.startsWith("javadoc/")).sort();
const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
const tab = await browser.newPage();
let current = "";
tab.on("console", (message) => message.type() === "error" && fail(current, `console: ${message.text()}`));
tab.on("pageerror", (error) => fail(current, `script: ${error.message}`));
tab.on("requestfailed", (request) => fail(current, `not loaded: ${request.url()}`));

const open = async (page) => {
  current = page;
  await tab.goto(url(page));
};

// Names that an address can lead to, by page.
const ids = new Map();
const links = [];
for (const page of pages) {
  await open(page);
  const found = await tab.evaluate(() => ({
    ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
    links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
    broken: [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src)
  }));
  ids.set(page, new Set(found.ids));
  found.links.forEach((link) => links.push([page, link]));
  found.broken.forEach((image) => fail(page, `no picture ${image}`));
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 800 });
    const wide = await tab.evaluate((tables) => ({
      page: document.documentElement.scrollWidth - window.innerWidth,
      tables: tables ? [...document.querySelectorAll(".wide")].filter((table) => table.scrollWidth > table.clientWidth).length : 0
    }), width <= widestOfTables);
    if (wide.page > 0) {
      fail(page, `${wide.page} px wider than a window of ${width} px`);
    }

    if (wide.tables > 0) {
      fail(page, `${wide.tables} tables are wider than a window of ${width} px`);
    }
  }
}

for (const [page, link] of links) {
  if (link.startsWith("file:")) {
    const target = new URL(link);
    const file = relative(site, fileURLToPath(new URL(target.pathname, "file:")));
    const anchor = decodeURIComponent(target.hash.slice(1));
    if (!existsSync(join(site, file))) {
      fail(page, `a link to ${file}, which does not exist`);
    } else if (anchor !== "" && ids.has(file) && !ids.get(file).has(anchor)) {
      fail(page, `a link to ${file}#${anchor}, which does not exist`);
    }
  }
}

for (const [page, query, expected] of searches) {
  await open(page);
  await tab.getByRole("searchbox").fill(query);
  const results = tab.locator("search ol a");
  await results.first().waitFor({ timeout: 10_000 }).catch(() => fail(page, `a search for ${query} finds nothing`));
  const found = await results.evaluateAll((all) => all.map((link) => link.href));
  if (!found.some((link) => link.includes(expected))) {
    fail(page, `a search for ${query} does not find ${expected}: ${found.join(" ")}`);
  } else {
    await results.first().click();
    await tab.waitForURL((address) => address.href === found[0]);
    if (new URL(found[0]).hash !== "" && !await tab.evaluate(() => document.getElementById(decodeURIComponent(location.hash.slice(1))))) {
      fail(page, `a search for ${query} leads to ${found[0]}, which has no such place`);
    }
  }
}

await open("index.html");
await tab.getByRole("searchbox").fill("qqzzxxqq");
await tab.getByText("Nothing found").waitFor({ timeout: 10_000 }).catch(() => fail("index.html", "a search for nonsense says nothing"));

await open("javadoc/index.html");
const listed = readFileSync(join(site, "javadoc/element-list"), "utf8").trim().split(/\s+/).sort();
// The module foreign is there if a JDK that can read it has made the Javadoc.
const foreign = "io.aeroshmem.foreign";
if (listed.filter((name) => name !== foreign).join() !== packages.join()) {
  fail("javadoc", `lists ${listed.join(" ")}`);
}

const types = readFileSync(join(site, "javadoc/allclasses-index.html"), "utf8");
notApi.filter((type) => types.includes(type)).forEach((type) => fail("javadoc", `lists ${type}`));

await browser.close();
if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}

console.log(`check-site: ${pages.length} pages at ${widths.join(", ")} px, ${links.length} links, ${searches.length + 1} searches`);
