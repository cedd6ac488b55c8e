// The default values of parameters, for the tools that are made of what a user sees.
webmcpHub.parts.formDefault = ({ formSchema, formFill }) => {
  // What the page's source puts into the controls of a parameter, undefined for nothing.
  const initial = (controls) => {
    const [e] = controls;
    if (e instanceof HTMLSelectElement) {
      const selected = [...e.options].filter((o) => o.defaultSelected).map((o) => o.value);
      return e.multiple ? selected : selected.at(-1);
    }
    const checked = controls.filter((c) => c.defaultChecked).map((c) => c.value);
    if (e.type === "checkbox") return controls.length > 1 ? checked : checked.length > 0;
    if (e.type === "radio") return checked.at(-1);
    if (e.type === "number" || e.type === "range") return formSchema.number(e, "value");
    return e.defaultValue !== "" && (e instanceof HTMLTextAreaElement || formFill.keeps(e, e.defaultValue)) ? e.defaultValue : undefined;
  };

  // Pages may write into the attributes what somebody enters, as React does, also into those of controls that they make later.
  // So what is read before anybody has entered anything is kept, and nothing is read after that. Of a document that was used
  // before the hub came nobody can tell.
  let entered = navigator.userActivation.hasBeenActive;
  const kept = new WeakMap(); // by the first control of a parameter
  const note = () => (entered = true);
  const listen = () => {
    for (const type of ["keydown", "beforeinput", "input"]) addEventListener(type, note, true); // again is no other
  };
  listen();

  // The user is in such a control or has changed it, or the browser has filled it in.
  const TOUCHED = CSS.supports("selector(:user-valid)") ? ":focus, :user-valid, :user-invalid, :autofill" : "*";
  const SECRET = "[autocomplete*=password i], [autocomplete*=one-time-code i], [autocomplete*=cc- i]";
  const LONGEST = 200; // in characters

  /**
   * @param {HTMLElement[]} controls those of one parameter
   * @returns {{default?: *, writeOnly?: true}} what the parameter's schema has as its default: the value that the page gave the
   *   controls, never one that somebody entered. A control for secrets makes it writeOnly, so that recordings leave it out
   */
  const preset = (controls) => {
    listen(); // document.open() takes listeners away
    const secret = (e) => e.type === "password" || e.matches(SECRET);
    const untold = (e) => secret(e) || e.type === "hidden" || e.matches(TOUCHED);
    if (!entered) kept.set(controls[0], initial(controls));
    const value = controls.some(untold) ? undefined : kept.get(controls[0]);
    const short = [value].flat().join("").length <= LONGEST;
    if (controls.some(secret)) return { writeOnly: true };
    return value !== undefined && short ? { default: value } : {};
  };

  return { preset };
};
