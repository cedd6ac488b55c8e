// Fills in a form with an agent's arguments, as Chromium does for a declarative tool, with Chromium's error messages.
// Checks all values before it sets the first.
webmcpHub.parts.formFill = ({ formSchema }) => {
  const scalar = (v) => (typeof v === "string" || typeof v === "boolean" || Number.isFinite(v) ? String(v) : undefined);

  const truth = (v) => {
    if (Number.isInteger(v)) return v !== 0;
    return { true: true, 1: true, false: false, 0: false }[String(v).toLowerCase()];
  };

  // A document in which a control tries a value unseen; not made by document.implementation, which a page can hide.
  let nowhere;

  // Returns whether the control keeps such a value at all; the form's validation checks the rest.
  const keeps = (e, value) => {
    if (value === "") return e.type !== "number" && e.type !== "range";
    nowhere ??= new DOMParser().parseFromString("", "text/html");
    const probe = nowhere.createElement("input");
    probe.type = e.type;
    probe.value = value;
    return probe.value !== "";
  };

  const several = (value, all) => {
    const left = new Set(all.map((e) => e.value));
    return Array.isArray(value) && value.every((v) => left.delete(scalar(v)));
  };

  const fits = (controls, value) => {
    const [e] = controls;
    if (!formSchema.parameter(controls)) return false;
    if (e.type === "checkbox" && controls.length > 1) return several(value, controls);
    if (e.type === "select-multiple") return several(value, [...e.options]);
    const text = scalar(value);
    if (text === undefined) return false;
    if (e.type === "checkbox") return truth(value) !== undefined;
    if (e.type === "radio") return controls.some((c) => c.value === text);
    if (e.type === "select-one") return [...e.options].some((o) => o.value === text);
    return e instanceof HTMLTextAreaElement || keeps(e, text);
  };

  const tell = (e) => {
    e.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // Sets a property of the element, and tells the page if that changes the property.
  const set = (e, property, value, teller = e) => {
    if (e[property] === value) return;
    e[property] = value;
    tell(teller);
  };

  const put = (controls, value) => {
    const [e] = controls;
    if (e.type === "select-multiple") {
      const chosen = value.map(scalar);
      const before = [...e.options].map((o) => o.selected).join();
      for (const o of e.options) o.selected = chosen.includes(o.value);
      if ([...e.options].map((o) => o.selected).join() !== before) tell(e);
    } else if (e.type === "checkbox" && controls.length > 1) {
      for (const c of controls) set(c, "checked", value.map(scalar).includes(c.value));
    } else if (e.type === "checkbox") {
      set(e, "checked", truth(value));
    } else if (e.type === "radio") {
      set(controls.find((c) => c.value === scalar(value)), "checked", true);
    } else {
      set(e, "value", scalar(value));
    }
  };

  /**
   * Sets controls to values. Checks all values first: if one doesn't fit, throws and sets nothing.
   * @param {Map<string, HTMLElement[]>} groups a form's controls by name, or others that stand alone
   * @param {Object<string, *>} args values by name
   */
  const fill = (groups, args) => {
    for (const [name, value] of Object.entries(args)) {
      const controls = groups.get(name);
      if (!controls) throw new Error(`Input contains a parameter "${name}" but there is no such parameter for the tool`);
      if (!fits(controls, value)) {
        const text = scalar(value);
        throw new Error(`Invalid value ${text === undefined ? "" : `"${text}" `}for parameter ${name}`);
      }
    }
    for (const [name, value] of Object.entries(args)) put(groups.get(name), value);
  };

  /**
   * Sets a form's controls to values, as fill does.
   * @param {HTMLFormElement} form
   * @param {Object<string, *>} args
   * @param {object} [reading] how the controls are named, as in formSchema.schema
   */
  const fillForm = (form, args, reading) => fill(formSchema.groups(form, reading), args);

  return { fill, fillForm, keeps };
};
