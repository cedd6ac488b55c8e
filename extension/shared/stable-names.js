// Names for tools that are made from a page's controls. A control keeps its name for as long as it exists and its label stays the
// same, and the same page gives the same names. Of several controls with the same label, those that have a name already keep it;
// the others get numbers in the order of the document.
webmcpHub.parts.stableNames = () => {
  const LONGEST = 40;
  const known = new WeakMap(); // element -> {base, name}

  /**
   * @param {string} text
   * @returns {string} its letters and digits as a part of a name, "" if it has none
   */
  const slug = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "_").slice(0, LONGEST).replace(/^_+|_+$/g, "");

  /**
   * Returns the kind of a tool, joined with the first of the texts that has letters or digits: "click" and "Add item" give
   * "click_add_item", "search" and "Search docs" give "search_docs".
   * @param {string} kind
   * @param {...string} texts
   * @returns {string}
   */
  const base = (kind, ...texts) => {
    const label = texts.map(slug).find(Boolean) ?? "";
    if (!label || label === kind) return kind;
    return label.startsWith(kind + "_") ? label : `${kind}_${label}`;
  };

  /**
   * Sets the name of each.
   * @param {{element: Element, base: string, name?: string}[]} wanted in the order of the document
   */
  const assign = (wanted) => {
    const taken = new Set();
    const kept = (w) => known.get(w.element)?.base === w.base;
    for (const w of wanted) {
      if (!kept(w)) continue;
      const { name } = known.get(w.element);
      if (!taken.has(name)) taken.add((w.name = name));
    }
    for (const w of wanted) {
      if (w.name) continue;
      w.name = w.base;
      for (let n = 2; taken.has(w.name); n++) w.name = `${w.base}_${n}`;
      taken.add(w.name);
      known.set(w.element, { base: w.base, name: w.name });
    }
  };

  return { slug, base, assign };
};
