// The default values of parameters, for tools that are made from what a user sees.
webmcpHub.parts.formDefault = ({ formSchema, formFill }) => {
  // Returns the value that the page's source gives to the controls of a parameter, or undefined if it gives none.
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

  // Pages may write what a user enters into attributes, as React does, even into those of controls that they make later. So this
  // keeps the values that it reads before the user has entered anything, and reads none after that. If the user used the document
  // before the hub came, it reads none at all.
  let entered = navigator.userActivation.hasBeenActive;
  const kept = new WeakMap(); // by the first control of a parameter
  const note = () => (entered = true);
  const listen = () => {
    for (const type of ["keydown", "beforeinput", "input"]) addEventListener(type, note, true); // no duplicates
  };
  listen();

  // Matches a control that the user is in or has changed, or that the browser has filled in.
  const TOUCHED = CSS.supports("selector(:user-valid)") ? ":focus, :user-valid, :user-invalid, :autofill" : "*";
  const SECRET = "[autocomplete*=password i], [autocomplete*=one-time-code i], [autocomplete*=cc- i]";
  const LONGEST = 200; // in characters

  /**
   * @param {HTMLElement[]} controls those of one parameter
   * @returns {{default?: *, writeOnly?: true}} the parameter's default for its schema: the value that the page gave the controls,
   *   never one that a user entered. A control for secrets makes it writeOnly, so that recordings leave it out
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
