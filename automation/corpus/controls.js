// The controls that a person has on the page, by HTML and ARIA and the browser's own layout: what can be seen, is not
// disabled and is the topmost at one of its points once the window is scrolled to it. Lists that scroll by themselves
// stay as they are, because some make their rows anew.
//
// From then on, and until window.clicked is null, no click does anything: the listeners record each there and keep it from
// the page. So each control can be clicked on the page as it is.
() => {
  const native = "a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=''],[contenteditable=true]";
  const roles = ["button", "link", "checkbox", "radio", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "switch", "slider",
    "combobox", "textbox", "searchbox", "spinbutton"].map((r) => `[role=${r}]`).join();
  const all = [];
  const walk = (root) => {
    for (const e of root.querySelectorAll("*")) {
      if (e.matches(native) || e.matches(roles)) all.push(e);
      if (e.shadowRoot) walk(e.shadowRoot);
    }
  };
  walk(document);
  const up = (e) => e.assignedSlot || e.parentElement || (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
  const within = (e, outer) => { while (e && e !== outer) e = up(e); return e === outer; };
  const topmost = (x, y) => {
    let e = document.elementFromPoint(x, y);
    while (e?.shadowRoot?.elementFromPoint(x, y) && e.shadowRoot.elementFromPoint(x, y) !== e) e = e.shadowRoot.elementFromPoint(x, y);
    return e;
  };
  const reachable = (e) => {
    if (e.matches(":disabled,[aria-disabled=true]") || e.closest("[inert],[aria-hidden=true]")) return false;
    if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const at = e.getBoundingClientRect();
    scrollTo(scrollX + at.left + at.width / 2 - innerWidth / 2, scrollY + at.top + at.height / 2 - innerHeight / 2);
    return [...e.getClientRects()].some((r) => r.width >= 4 && r.height >= 4 && within(topmost(r.left + r.width / 2, r.top + r.height / 2), e));
  };
  const found = all.filter(reachable);
  scrollTo(0, 0);
  window.controls = found;
  window.clicked = [];
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "focusin", "focus",
    "pointerover", "mouseover", "pointermove", "mousemove", "submit"]) {
    document.addEventListener(type, (event) => {
      if (!window.clicked) return;
      event.stopImmediatePropagation();
      if (!type.startsWith("pointer")) event.preventDefault(); // without pointerdown's default there is no mousedown
      if (type === "mousedown") window.clicked.push(event.composedPath());
    }, true);
  }
  return found.length;
}
