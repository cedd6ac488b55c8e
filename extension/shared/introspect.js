// Tools for a document that has none of its own, made from what its user sees: its forms, text fields, buttons and links, and
// its text. They are made anew when the document has come to rest after a change.
webmcpHub.parts.introspect = ({ shown: dom, formSchema, formTools, accessibleName, stableNames, domSettled, inReach, pageContent }) => {
  const MOST = { forms: 30, fields: 10, buttons: 30, links: 30 };
  const CANDIDATES = 2000; // elements of a kind that are looked at
  const TEXT = new Set(["email", "search", "tel", "text", "url"]);
  let tools = new Map(); // name -> {tool, run}

  let reach = { roots: [document], has: () => false };
  const seen = (e) => reach.has(e);
  const enabled = (e) => !dom.matches(e, ":disabled, [aria-disabled=true], [aria-disabled=true] *");
  const some = (selector) => reach.roots.flatMap((root) => [...dom.select(root, selector)]).slice(0, CANDIDATES);
  const aside = (e) => dom.closest(e, "footer, aside, [role=contentinfo], [role=complementary]");
  // What is made of the first candidates that can be used; of those that stand beside the page's matter, only where there is room.
  const main = (candidates, usable, make, most) => {
    const first = [], beside = [];
    for (const e of candidates) {
      if (first.length === most) break;
      const made = usable(e) && make(e);
      if (made) (aside(e) ? beside : first).push(made);
    }
    return [...first, ...beside].slice(0, most);
  };
  const quoted = (text) => `"${text}"`;

  // Hidden fields are no parameters, nor files. Many check boxes and radio buttons are seen by their labels only.
  const reading = {
    key: (e) => {
      if (e.type === "hidden" || e.type === "file" || !(seen(e) || [...(e.labels ?? [])].some(seen))) return "";
      return (e.name.trim() || e.id.trim() || stableNames.slug(accessibleName.ofControl(e))).slice(0, 100);
    },
    describe: (controls) => accessibleName.ofGroup(controls[0]) && controls.length > 1
      ? accessibleName.ofGroup(controls[0]) : accessibleName.ofControl(controls[0]),
  };

  const isSearch = (e) => dom.closest(e, "search, [role=search]") ||
    dom.matches(e, "[type=search], [role=searchbox], input[name=q], input[name=query], input[name=search]");

  const form = (element) => {
    const inputSchema = formSchema.schema(element, reading), button = formTools.submitter(element);
    const fields = [...formSchema.groups(element, reading).values()].flat();
    if (!button && fields.length === 0) return undefined;
    const search = dom.matches(element, "[role=search], search *") || fields.some(isSearch);
    const label = accessibleName.ofForm(element), action = button ? accessibleName.ofAction(button) : "";
    const what = label ? ` ${quoted(label)}` : "", by = action ? ` (${quoted(action)})` : "";
    return {
      element,
      base: stableNames.base(search ? "search" : "submit", label, search ? "" : action, dom.attribute(element, "id") ?? "", dom.attribute(element, "name") ?? ""),
      tool: { description: `Fills in and sends the page's ${search ? "search form" : "form"}${what}${by}.`, inputSchema },
      run: (args, signal) => formTools.send(element, true, args, signal, reading),
    };
  };

  const setText = (e, value) => {
    e.focus();
    e.value = value;
    e.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: value }));
    const key = (type) => e.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", keyCode: 13, bubbles: true, composed: true, cancelable: true }));
    if (e instanceof HTMLInputElement) {
      key("keydown");
      key("keypress");
    }
    e.dispatchEvent(new Event("change", { bubbles: true }));
    if (e instanceof HTMLInputElement) key("keyup");
  };

  // A text field that no form sends.
  const field = (element) => {
    const search = isSearch(element), label = accessibleName.ofControl(element), name = dom.attribute(element, "name") ?? "";
    const enter = element instanceof HTMLInputElement ? " and presses Enter" : "", parameter = search ? "query" : "text";
    return {
      element,
      base: stableNames.base(search ? "search" : "enter", label, dom.attribute(element, "id") ?? "", name),
      tool: {
        description: `Types into the page's ${search ? "search box" : "text field"}${label ? ` ${quoted(label)}` : ""}${enter}.`,
        inputSchema: { type: "object", properties: { [parameter]: { type: "string" } }, required: [parameter] },
      },
      run: (args) => {
        setText(element, String(args[parameter] ?? ""));
        return `The text was entered${enter ? " and Enter pressed" : ""}. What came of it is to be seen in the page.`;
      },
    };
  };

  const nothing = { type: "object", properties: {}, required: [] };

  const press = (e) => {
    for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup"]) {
      const How = type.startsWith("pointer") ? PointerEvent : MouseEvent;
      e.dispatchEvent(new How(type, { bubbles: true, composed: true, cancelable: true, button: 0 }));
    }
    e.click();
  };

  const button = (element) => {
    const label = accessibleName.ofAction(element), own = dom.attribute(element, "id") || dom.attribute(element, "name") || "";
    if (!label && !own) return undefined;
    return {
      element,
      base: stableNames.base("click", label, own),
      tool: { description: `Clicks the page's button ${quoted(label || own)}.`, inputSchema: nothing },
      run: () => {
        press(element);
        return "The button was clicked. What came of it is to be seen in the page.";
      },
    };
  };

  const target = (element) => element.origin + element.pathname + element.hash;

  const link = (element) => {
    const label = accessibleName.ofAction(element);
    return label && {
      element,
      key: `${label} ${element.href}`,
      base: stableNames.base("open", label),
      tool: { description: `Follows the page's link ${quoted(label)} to ${target(element).slice(0, 200)}.`, inputSchema: nothing },
      run: () => {
        element.click();
        return `The link to ${target(element)} was followed. If the page navigates, its tools may change: list them again.`;
      },
    };
  };

  const forms = () => main(some("form"), seen, form, MOST.forms);
  const fields = () => main(some("input, textarea"), (e) =>
    !e.form && (e instanceof HTMLTextAreaElement || TEXT.has(e.type)) && !e.readOnly && enabled(e) && seen(e), field, MOST.fields);
  // A form's first submit button is pressed by the form's tool.
  const buttons = (sent) => {
    const submitters = new Set(sent.map((f) => formTools.submitter(f.element)));
    const all = some("button, summary, input[type=button], input[type=submit], input[type=image], [role=button], [role=tab], [role=menuitem], a[href^='javascript:' i]");
    return main(all, (e) =>
      e instanceof HTMLElement && !submitters.has(e) && e.type !== "reset" && enabled(e) && seen(e), button, MOST.buttons);
  };
  const links = () => {
    const known = new Set();
    const unknown = (l) => l && !known.has(l.key) && known.add(l.key) && l;
    return main(some("a[href]:not([role=button], [role=tab], [role=menuitem])"), (e) =>
      e instanceof HTMLAnchorElement && /^(https?|file):$/.test(e.protocol) && enabled(e) && seen(e), (e) => unknown(link(e)), MOST.links);
  };

  const call = ({ element, run }, args, signal) => {
    reach = inReach();
    if (!dom.connected(element) || !seen(element) || !enabled(element)) {
      throw new Error("This can't be used just now: it is gone from the page, hidden or disabled. List the tools again.");
    }
    return run(args, signal);
  };

  const scan = () => {
    tools = new Map();
    const inner = parent !== window; // whose address may be about:srcdoc
    if (!(inner || /^(https?|file):$/.test(location.protocol)) || !(dom.root(document) instanceof HTMLElement)) return;
    reach = inReach();
    const found = forms();
    found.push(...fields(), ...buttons(found), ...links());
    stableNames.assign(found);
    if (!inner) tools.set(pageContent.tool.name, { tool: pageContent.tool, run: pageContent.call });
    for (const f of found) tools.set(f.name, { tool: { name: f.name, ...f.tool }, run: (args, signal) => call(f, args, signal) });
  };

  return {
    // start begins, or begins again where the window has got another document.
    start: (changed) => {
      formTools.listen();
      domSettled.start(() => {
        scan();
        changed();
      });
    },
    stop: () => {
      domSettled.stop();
      tools = new Map();
    },
    tools: () => [...tools.values()].map(({ tool }) => tool),
    has: (name) => tools.has(name),
    call: (name, args, signal) => tools.get(name).run(args, signal),
  };
};
