// Computes the input schema that Chromium 156 gives to a declarative tool, from the form itself; TestFormSchemaParity checks that
// both agree. Reads the DOM of any form, with a tool's name or without, and changes nothing.
webmcpHub.parts.formSchema = ({ dom }) => {
  const TEXT = new Set(["email", "password", "search", "tel", "text", "url"]);
  // The types for which readonly means something.
  const WRITABLE = new Set([...TEXT, "date", "datetime-local", "month", "number", "time", "week"]);
  const NUMBER = /^-?(\d+(\.\d+)?|\.\d+)([eE][-+]?\d+)?$/; // as HTML reads one
  const HOURS = "([01][0-9]|2[0-3]):[0-5][0-9]";
  const DAY = "[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}";
  const FORMATS = {
    color: "^#[0-9a-zA-Z]{6}$",
    month: "^[0-9]{4}-(0[1-9]|1[0-2])$",
    week: "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$",
  };

  /** @param {Element} e @returns {boolean} */
  const isControl = (e) =>
    e instanceof HTMLInputElement || e instanceof HTMLSelectElement || e instanceof HTMLTextAreaElement;
  const offered = (e) =>
    isControl(e) && !e.matches(":disabled") &&
    !(e.readOnly && (e instanceof HTMLTextAreaElement || WRITABLE.has(e.type)));

  // How a declarative tool names and describes its controls. Other tools may do it otherwise.
  const DECLARED = { key: (e) => e.name.trim(), describe: () => undefined };

  /**
   * @param {HTMLFormElement} form
   * @param {{key: (e: Element) => string}} [reading] names its controls; "" means no parameter
   * @returns {Map<string, HTMLElement[]>} the controls of each parameter, in the form's order
   */
  const groups = (form, { key } = DECLARED) => {
    const found = new Map();
    for (const e of dom.controls(form)) {
      const name = offered(e) ? key(e) : "";
      if (name) found.set(name, [...(found.get(name) ?? []), e]);
    }
    return found;
  };

  // Returns a label's text without that of controls in it. It doesn't clone the label: that would run the page's custom elements.
  const text = (node) => {
    if (node instanceof CharacterData) return node instanceof Text ? node.data : "";
    if (node instanceof Element && node.matches("button, input, meter, output, progress, select, textarea")) return "";
    return [...node.childNodes].map(text).join("");
  };
  const labelText = (e) =>
    [...(e.labels ?? [])].map((label) => text(label).trim()).filter(Boolean).join("; ");

  // The innermost fieldset around all controls of a group describes it.
  const groupDescription = (form, [first, ...others]) => {
    for (let e = first.parentElement; e && e !== form; e = e.parentElement) {
      if (e instanceof HTMLFieldSetElement && others.every((o) => e.contains(o))) return e.getAttribute("toolparamdescription");
    }
  };

  const described = (schema, form, controls, note, { describe }) => {
    const [e] = controls;
    const said = controls.length > 1
      ? groupDescription(form, controls)
      : e.getAttribute("toolparamdescription") || labelText(e) || e.getAttribute("aria-description");
    const own = said || describe(controls);
    const description = own && note ? `${own} (${note})` : own || note;
    return description ? { ...schema, description } : schema;
  };

  const number = (e, name) => {
    const given = e.getAttribute(name);
    return given !== null && NUMBER.test(given) && Number.isFinite(Number(given)) ? Number(given) : undefined;
  };

  // Returns the step of a field, or undefined if any value will do.
  const step = (e, normal) => {
    if (e.getAttribute("step")?.toLowerCase() === "any" && e.type !== "range") return undefined;
    const given = number(e, "step");
    return given > 0 ? given : normal;
  };

  const pattern = (e) => {
    const given = e.getAttribute("pattern");
    try {
      return given === null || !new RegExp(given, "v") ? {} : { pattern: given };
    } catch {
      return {};
    }
  };

  const numeric = (e) => {
    const schema = { type: "number" };
    let minimum = number(e, "min"), maximum = number(e, "max");
    const base = minimum ?? number(e, "value") ?? 0;
    if (e.type === "range") {
      minimum ??= 0;
      maximum = Math.max(minimum, maximum ?? 100);
    }
    if (minimum !== undefined) schema.minimum = minimum;
    if (maximum !== undefined) schema.maximum = maximum;
    const s = step(e, 1), steps = base / s;
    // JSON Schema counts multiples from 0.
    if (s !== undefined && Math.abs(steps - Math.round(steps)) < Number.EPSILON * 16 * Math.max(1, Math.abs(steps))) schema.multipleOf = s;
    return e.type === "range" ? schema : { ...schema, ...pattern(e) };
  };

  const clock = (e, before) => {
    const s = step(e, 60) ?? 60;
    return before + HOURS + (s < 1 ? "(:[0-5][0-9](\\.[0-9]{1,3})?)?$" : s < 60 ? "(:[0-5][0-9])?$" : "$");
  };

  const choices = (all, title) => ({
    anyOf: all.map((e) => ({ type: "string", const: e.value, ...title(e) })),
    enum: all.map((e) => e.value),
  });
  const buttons = (all) => choices(all, (e) => {
    const title = labelText(e);
    return title ? { title } : {};
  });
  const many = (items) => ({ type: "array", items: { type: "string", ...items }, uniqueItems: true });

  /**
   * @param {HTMLElement[]} controls one control, or the check boxes or radio buttons of one name
   * @returns {object | undefined} their schema; undefined if they are no parameter
   */
  const parameter = (controls) => {
    const [e] = controls;
    if (controls.length > 1) {
      if (controls.every((c) => c.type === "checkbox")) return many(buttons(controls));
      if (controls.every((c) => c.type === "radio")) return { type: "string", ...buttons(controls) };
      return undefined;
    }
    if (e instanceof HTMLTextAreaElement) return { type: "string" };
    if (e instanceof HTMLSelectElement) {
      const options = choices([...e.options], (o) => ({ title: o.textContent }));
      return e.multiple ? many(options) : { type: "string", ...options };
    }
    switch (e.type) {
      case "number":
      case "range":
        return numeric(e);
      case "checkbox":
        return { type: "boolean" };
      case "radio":
        return { type: "string", ...buttons(controls) };
      case "date":
        return { type: "string", format: "date" };
      case "time":
        return { type: "string", format: clock(e, "^") };
      case "datetime-local":
        return { type: "string", format: clock(e, `^${DAY}T`) };
      case "hidden":
        return e.getAttribute("toolparamdescription") ? { type: "string" } : undefined;
    }
    if (TEXT.has(e.type)) return { type: "string", ...pattern(e) };
    return FORMATS[e.type] && { type: "string", format: FORMATS[e.type] };
  };

  /**
   * @param {HTMLFormElement} form
   * @param {{key: (e: Element) => string, describe: (controls: HTMLElement[]) => string | undefined, preset?: (controls: HTMLElement[]) => object}} [reading] how
   *   to name and describe its controls, and what else to put into their schemas; by default, as for a declarative tool
   * @returns {object} the input schema of a tool that fills in the form
   */
  const schema = (form, reading = DECLARED) => {
    const properties = Object.create(null), required = [];
    for (const [name, controls] of groups(form, reading)) {
      const p = parameter(controls);
      if (!p) continue;
      const note = controls[0].type === "date" ? "Dates MUST be provided in 'YYYY-MM-DD' format." : undefined;
      properties[name] = described({ ...p, ...reading.preset?.(controls) }, form, controls, note, reading);
      if (controls.some((c) => c.required)) required.push(name);
    }
    return { type: "object", properties, required };
  };

  return { groups, parameter, schema, number, isControl };
};
