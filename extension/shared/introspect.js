// Makes tools for a document that has none of its own, from what its user sees: forms, text fields and other controls, buttons,
// links, and text. Makes them anew when the document has come to rest after a change.
webmcpHub.parts.introspect = ({ shown: dom, formSchema, formDefault, formTools, formFill, accessibleName, stableNames, domSettled, inReach, pageContent, typing, changes }) => {
  const MOST = { forms: 30, fields: 10, controls: 20, buttons: 30, links: 30 };
  const CANDIDATES = 2000; // elements of a kind to look at
  const TEXT = new Set(["email", "search", "password", "tel", "text", "url"]);
  const KINDS = {
    checkbox: "check box", radio: "choice", range: "slider", "select-one": "list", "select-multiple": "list", date: "date", time: "time",
    color: "colour", number: "number",
  };
  let tools = new Map(); // name -> {tool, run}

  let reach = { roots: [document], has: () => false };
  const seen = (e) => reach.has(e);
  const enabled = (e) => !dom.matches(e, ":disabled, [aria-disabled=true], [aria-disabled=true] *");
  const some = (selector) => reach.roots.flatMap((root) => [...dom.select(root, selector)]).slice(0, CANDIDATES);
  const aside = (e) => dom.closest(e, "footer, aside, [role=contentinfo], [role=complementary]");
  // Makes tools of the first usable candidates. Those in footers and asides come last, if there is room.
  const main = (kind, candidates, usable, make) => {
    const first = [], beside = [], most = MOST[kind];
    let more = 0;
    for (const e of candidates) {
      if (!usable(e)) continue;
      const made = first.length < most ? make(e) : (more++, undefined);
      if (made) (aside(e) ? beside : first).push(made);
    }
    const chosen = [...first, ...beside].slice(0, most);
    left[kind] = more + first.length + beside.length - chosen.length;
    return chosen;
  };
  let left = {}; // of each kind, how many have no tool
  const quoted = (text) => `"${text}"`;

  // Hidden fields and file fields are no parameters. Users see many check boxes and radio buttons only by their labels.
  const reading = {
    key: (e) => {
      if (e.type === "hidden" || e.type === "file" || !(seen(e) || [...(e.labels ?? [])].some(seen))) return "";
      return (e.name.trim() || e.id.trim() || stableNames.slug(accessibleName.ofControl(e))).slice(0, 100);
    },
    describe: (controls) => accessibleName.ofGroup(controls[0]) && controls.length > 1
      ? accessibleName.ofGroup(controls[0]) : accessibleName.ofControl(controls[0]),
    preset: formDefault.preset,
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
      run: (args, signal, last) => changes(() => (search ? searched(element, args, signal) : formTools.send(element, true, args, signal, reading)), last),
    };
  };

  // Uses a search form, which may react to typed keys or to being submitted.
  const searched = (element, args, signal) => {
    const groups = formSchema.groups(element, reading);
    const [name] = [...groups].find(([key, [e]]) => key in args && e instanceof HTMLInputElement && TEXT.has(e.type)) ?? [];
    if (name === undefined) return formTools.send(element, true, args, signal, reading);
    const { [name]: text, ...others } = args, [box] = groups.get(name);
    formFill.fill(groups, others);
    typing.type(box, String(text));
    if (!typing.enter(box)) return "The text was typed and Enter pressed, which the page handled by itself.";
    return formTools.send(element, true, args, signal, reading);
  };

  // Makes the tool of a text field outside forms.
  const field = (element) => {
    const search = isSearch(element), label = accessibleName.ofControl(element), name = dom.attribute(element, "name") ?? "";
    const enter = element instanceof HTMLInputElement ? " and presses Enter" : "", parameter = search ? "query" : "text";
    return {
      element,
      base: stableNames.base(search ? "search" : "enter", label, dom.attribute(element, "id") ?? "", name),
      tool: {
        description: `Types into the page's ${search ? "search box" : "text field"}${label ? ` ${quoted(label)}` : ""}${enter}.`,
        inputSchema: { type: "object", properties: { [parameter]: { type: "string", ...formDefault.preset([element]) } }, required: [parameter] },
      },
      run: (args, signal, last) => changes(() => {
        typing.type(element, String(args[parameter] ?? ""));
        if (enter) typing.enter(element);
        else typing.changed(element);
        return `The text was typed${enter ? " and Enter pressed" : ""}.`;
      }, last),
    };
  };

  // Makes the tool of any other control outside forms. Radio buttons of the same name share one.
  const control = (element) => {
    const all = element.type === "radio" && element.name
      ? some(`input[type=radio][name=${CSS.escape(element.name)}]`).filter((e) => !e.form && dom.rootOf(e) === dom.rootOf(element)) : [element];
    const value = all[0] === element && formSchema.parameter(all);
    if (!value) return undefined;
    const label = (all.length > 1 && accessibleName.ofGroup(element)) || accessibleName.ofControl(element);
    return {
      element,
      base: stableNames.base("set", label, dom.attribute(element, "id") ?? "", dom.attribute(element, "name") ?? ""),
      tool: {
        description: `Sets the page's ${KINDS[element.type] ?? "field"}${label ? ` ${quoted(label)}` : ""}.`,
        inputSchema: { type: "object", properties: { value: { ...value, ...formDefault.preset(all) } }, required: ["value"] },
      },
      run: (args, signal, last) => changes(() => {
        formFill.fill(new Map([["value", all]]), { value: args.value });
        return "It was set.";
      }, last),
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
      run: (args, signal, last) => changes(() => {
        press(element);
        return "The button was clicked.";
      }, last),
    };
  };

  const target = (element) => element.origin + element.pathname + element.hash;

  // Returns whether a link navigates this window. This page doesn't show the effect of a link that opens another window or saves
  // a file. A link that navigates the window around this one takes the page with it.
  const staysHere = (element) => {
    const where = (element.target || [...dom.select(document, "base[target]")][0]?.target || "_self").toLowerCase();
    return !element.hasAttribute("download") && (where === "_self" || (parent === window && ["_parent", "_top"].includes(where)));
  };

  const link = (element) => {
    const label = accessibleName.ofAction(element);
    return label && {
      element,
      key: `${label} ${element.href}`,
      base: stableNames.base("open", label),
      tool: { description: `Follows the page's link ${quoted(label)} to ${target(element).slice(0, 200)}.`, inputSchema: nothing },
      run: (args, signal, last) => {
        const follow = () => {
          const to = target(element);
          element.click();
          return `The link to ${to} was followed.`;
        };
        return staysHere(element) ? changes(follow, last) : `${follow()} If it opens another tab, that has tools of its own: list them again.`;
      },
    };
  };

  const forms = () => main("forms", some("form"), seen, form);
  const fields = () => main("fields", some("input, textarea"), (e) =>
    !e.form && (e instanceof HTMLTextAreaElement || TEXT.has(e.type)) && !e.readOnly && enabled(e) && seen(e), field);
  const SET = "input:is([type=checkbox], [type=radio], [type=range], [type=number], [type=date], [type=time], [type=datetime-local], [type=month], [type=week], [type=color]), select";
  const controls = () => main("controls", some(SET), (e) =>
    !e.form && !e.readOnly && enabled(e) && (seen(e) || [...(e.labels ?? [])].some(seen)), control);
  // A form's own tool presses the form's first submit button.
  const buttons = (sent) => {
    const submitters = new Set(sent.map((f) => formTools.submitter(f.element)));
    const all = some("button, summary, input[type=button], input[type=submit], input[type=image], [role=button], [role=tab], [role=menuitem], a[href^='javascript:' i]");
    return main("buttons", all, (e) =>
      e instanceof HTMLElement && !submitters.has(e) && e.type !== "reset" && enabled(e) && seen(e), button);
  };
  // A heading's link to itself.
  const permalink = (e) => e.hash && e.origin + e.pathname + e.search === location.origin + location.pathname + location.search &&
    (dom.closest(e, "h1, h2, h3, h4, h5, h6, [role=heading]") || dom.matches(e, ".headerlink, .anchor, .anchorjs-link, .header-anchor"));
  const links = () => {
    const known = new Set();
    const unknown = (l) => l && !known.has(l.key) && known.add(l.key) && l;
    return main("links", some("a[href]:not([role=button], [role=tab], [role=menuitem])"), (e) =>
      e instanceof HTMLAnchorElement && /^(https?|file):$/.test(e.protocol) && !permalink(e) && enabled(e) && seen(e), (e) => unknown(link(e)));
  };

  // Says, in words, what in the page has no tool.
  const without = () => {
    const kinds = Object.entries(left).filter(([, n]) => n > 0).map(([kind, n]) => `${n} ${kind}`);
    return kinds.length > 0 ? `Shown in the page, but left out of the tools, which would be too many: ${kinds.join(", ")}.` : "";
  };

  const call = ({ element, run }, args, signal, last) => {
    reach = inReach();
    if (!dom.connected(element) || !(seen(element) || [...(element.labels ?? [])].some(seen)) || !enabled(element)) {
      throw new Error("This can't be used just now: it is gone from the page, hidden or disabled. List the tools again.");
    }
    return run(args, signal, last);
  };

  const scan = () => {
    tools = new Map();
    const inner = parent !== window; // whose address may be about:srcdoc
    if (!(inner || /^(https?|file):$/.test(location.protocol)) || !(dom.root(document) instanceof HTMLElement)) return;
    reach = inReach();
    left = {};
    const found = forms();
    found.push(...fields(), ...controls(), ...buttons(found), ...links());
    stableNames.assign(found);
    if (!inner) tools.set(pageContent.tool.name, { tool: pageContent.tool, run: (args) => pageContent.call(args, without()) });
    for (const f of found) tools.set(f.name, { tool: { name: f.name, ...f.tool }, run: (args, signal, last) => call(f, args, signal, last) });
  };

  return {
    /**
     * Starts, or starts again if the window has got another document.
     * @param {() => void} changed is called when the tools may have changed
     */
    start: (changed) => {
      formTools.listen();
      domSettled.start(() => {
        scan();
        changed();
      });
    },
    /** Stops; then there are no tools. */
    stop: () => {
      domSettled.stop();
      tools = new Map();
    },
    /** @returns {object[]} the tools, as MCP lists them */
    tools: () => [...tools.values()].map(({ tool }) => tool),
    /** @param {string} name @returns {boolean} whether there is a tool of that name */
    has: (name) => tools.has(name),
    /**
     * Calls a tool.
     * @param {string} name
     * @param {Object<string, *>} args
     * @param {AbortSignal} signal ends the call
     * @param {(answer: string) => void} [last] gets the answer of a call that takes the page away, before the page goes
     * @returns {string | Promise<string>} the answer
     */
    call: (name, args, signal, last) => tools.get(name).run(args, signal, last),
  };
};
