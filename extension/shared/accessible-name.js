// The name by which people and assistive technology know an element, as HTML-AAM and ACCNAME define it, for the common cases. It
// never contains what a user typed.
webmcpHub.parts.accessibleName = ({ shown: dom }) => {
  const LONGEST = 100; // characters of a name
  const DEEP = 30, MUCH = 1000; // levels and characters to read for a name
  const SILENT = "script, style, template, noscript, input, select, textarea, [contenteditable], [hidden], [aria-hidden=true]";

  const tidy = (text) => text.slice(0, MUCH).replace(/\s+/g, " ").trim().slice(0, LONGEST).trim();

  // Returns the text in an element, with the alternative texts of its pictures.
  const content = (node, depth = 0) => {
    if (node instanceof Text) return node.data.slice(0, MUCH);
    if (!(node instanceof Element) || depth > DEEP || dom.matches(node, SILENT)) return "";
    const said = depth > 0 ? dom.attribute(node, "aria-label") : null;
    if (said) return ` ${said} `;
    if (node instanceof HTMLImageElement) return ` ${dom.attribute(node, "alt") ?? ""} `;
    let text = "";
    for (const kid of dom.below(node)) {
      text += content(kid, depth + 1);
      if (text.length > MUCH) break;
    }
    return node instanceof HTMLElement && !dom.matches(node, "a, abbr, b, code, em, i, mark, small, span, strong, sub, sup, u") ? ` ${text} ` : text;
  };

  // Returns the name that aria-labelledby or aria-label gives to an element of any kind.
  const given = (e) => {
    const ids = (dom.attribute(e, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean).slice(0, 10);
    const root = dom.rootOf(e);
    const others = dom.isElement(root) ? [] : ids.map((id) => dom.byID(root, id)).filter(Boolean); // else e is gone
    return tidy(others.map((o) => dom.attribute(o, "aria-label") || content(o)).join(" ")) || tidy(dom.attribute(e, "aria-label") ?? "");
  };

  const first = (...ways) => {
    for (const way of ways) {
      const name = tidy(way() ?? "");
      if (name) return name;
    }
    return "";
  };
  const attribute = (e, name) => () => dom.attribute(e, name);
  const labels = (e) => () => [...(e.labels ?? [])].map((label) => content(label)).join(" ");

  /**
   * Returns the name of a button or a link.
   * @param {Element} e
   * @returns {string} "" if it has none
   */
  const ofAction = (e) => {
    if (!(e instanceof HTMLInputElement)) return first(() => given(e), () => content(e), attribute(e, "title"));
    return first(() => given(e), labels(e), attribute(e, e.type === "image" ? "alt" : "value"), attribute(e, "title"),
      () => (e.type === "submit" ? "Submit" : ""));
  };

  /**
   * Returns the name of a control, in a form or not.
   * @param {Element} e
   * @returns {string} "" if it has none
   */
  const ofControl = (e) => first(() => given(e), labels(e), attribute(e, "title"), attribute(e, "placeholder"));

  /**
   * Returns the name of the group that a control belongs to.
   * @param {Element} e the control
   * @returns {string} "" if there is none
   */
  const ofGroup = (e) => {
    const group = dom.closest(e, "fieldset, [role=group], [role=radiogroup]");
    return group ? first(() => given(group), () => legend(group)) : "";
  };
  const legend = (e) => {
    const [found] = dom.all(e, "legend, caption, h1, h2, h3, h4, h5, h6, [role=heading]");
    return found ? content(found) : "";
  };

  /**
   * Returns the name of a form: its own, or else its heading.
   * @param {HTMLFormElement} e
   * @returns {string} "" if it has none
   */
  const ofForm = (e) => first(() => given(e), () => legend(e), attribute(e, "title"));

  return { ofAction, ofControl, ofGroup, ofForm };
};
