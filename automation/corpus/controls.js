// Returns the number of controls that a person can use on the page, as HTML, ARIA and the browser's layout define them:
// each is visible, isn't disabled, and is the topmost element at one of its points after the window was scrolled to it.
// Lists that scroll by themselves are not scrolled, because some of them make their rows anew.
//
// Afterwards, until window.clicked is null, clicks have no effect: the listeners record where each click arrives and
// keep it from the page. So tests can click each control on the page as it is.
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
