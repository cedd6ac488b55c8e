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

  // Pages may write into the attributes what somebody types, as React does. So nothing is read of a control that the user
  // is in or has changed, or that the browser has filled in.
  const TOUCHED = CSS.supports("selector(:user-valid)") ? ":focus, :user-valid, :user-invalid, :autofill" : "*";
  const SECRET = "[autocomplete*=password i], [autocomplete*=one-time-code i], [autocomplete*=cc- i]";
  const LONGEST = 200; // in characters

  /**
   * @param {HTMLElement[]} controls those of one parameter
   * @returns {{default?: *}} what the parameter's schema has as its default: the value that the page gave the controls, never
   *   one that somebody typed
   */
  const preset = (controls) => {
    const untold = (e) => e.type === "password" || e.type === "hidden" || e.matches(SECRET) || e.matches(TOUCHED);
    const value = controls.some(untold) ? undefined : initial(controls);
    const short = [value].flat().join("").length <= LONGEST;
    return value !== undefined && short ? { default: value } : {};
  };

  return { preset };
};
