/*
 * The search of a page: over the sections of all pages and the types of the API (search-sections.js), by MiniSearch. Both are
 * loaded when the field gets the focus, as scripts, which a page that was opened as a file may load too.
 */
(() => {
  const place = document.querySelector("search");
  const root = place.dataset.root;
  const input = place.querySelector("input");
  const list = place.querySelector("ol");
  const longest = 12;
  let index;

  const load = (name) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = root + name;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${name} cannot be loaded`));
    document.head.append(script);
  });

  const build = () => index ??= Promise.all([load("minisearch/minisearch.js"), load("search-sections.js")]).then(() => {
    const search = new MiniSearch({
      fields: ["heading", "page", "text"],
      storeFields: ["heading", "page", "text"],
      searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: (term) => term.length > 5 ? 0.15 : 0, combineWith: "AND" }
    });
    search.addAll(window.searchSections);
    return search;
  });

  // The words around the first term found.
  const excerpt = (found) => {
    const term = found.terms[0] ?? "";
    const at = Math.max(0, found.text.toLowerCase().indexOf(term) - 30);
    return (at > 0 ? "…" : "") + found.text.slice(at, at + 120);
  };

  const show = async () => {
    const query = input.value.trim();
    const found = query === "" ? [] : (await build()).search(query).slice(0, longest);
    if (query !== input.value.trim()) {
      return;
    }

    list.replaceChildren(...found.map((section) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const text = document.createElement("small");
      link.href = root + section.id;
      link.textContent = section.heading === section.page ? section.page : `${section.heading} – ${section.page}`;
      text.textContent = excerpt(section);
      link.append(text);
      item.append(link);
      return item;
    }));
    if (query !== "" && found.length === 0) {
      const nothing = document.createElement("p");
      nothing.textContent = "Nothing found";
      list.append(nothing);
    }

    list.hidden = query === "";
  };

  // Arrow keys move between the field and the results.
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      list.hidden = true;
    } else if (event.key === "Enter" && event.target === input) {
      list.querySelector("a")?.click();
    } else if (step !== undefined) {
      const all = [input, ...list.querySelectorAll("a")];
      all[Math.min(all.length - 1, Math.max(0, all.indexOf(document.activeElement) + step))].focus();
      event.preventDefault();
    }
  };

  input.addEventListener("focus", build, { once: true });
  input.addEventListener("input", show);
  place.addEventListener("keydown", move);
  place.addEventListener("focusout", (event) => {
    list.hidden = !place.contains(event.relatedTarget);
  });
  place.addEventListener("focusin", () => {
    list.hidden = list.childElementCount === 0;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target === document.body) {
      input.focus();
      event.preventDefault();
    }
  });
})();
