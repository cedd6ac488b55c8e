// What a person can act on in a document, and sees without scrolling. It goes by what
// Chrome would do with a click in the middle of each element.
function controls() {
  const native = "a[href],button,input:not([type=hidden]),select,textarea,summary,area[href],[contenteditable=true],[contenteditable=''],[onclick],[tabindex]:not([tabindex='-1'])," +
    ["button", "link", "checkbox", "radio", "switch", "tab", "option", "menuitem", "textbox", "combobox", "slider", "treeitem"].map((r) => `[role=${r}]`).join();
  const found = [];
  const inside = (x, y) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  const above = (e) => e.parentNode instanceof ShadowRoot ? e.parentNode.host : e.assignedSlot || e.parentElement;
  function within(e, outer) {
    for (; e; e = above(e)) if (e === outer) return true;
    return false;
  }
  function look(root) {
    for (const e of root.querySelectorAll("*")) {
      if (e.shadowRoot) look(e.shadowRoot);
      const style = getComputedStyle(e);
      const parent = above(e);
      const hand = style.cursor === "pointer" && (!parent || getComputedStyle(parent).cursor !== "pointer");
      if (!e.matches(native) && !hand || e.matches("html,body,option,iframe") || e.closest("[inert]")) continue;
      const box = e.getBoundingClientRect();
      const x = box.left + box.width / 2, y = box.top + box.height / 2;
      if (!box.width || !box.height || !e.checkVisibility() || style.visibility !== "visible" || !inside(x, y)) continue;
      let hit = root.elementFromPoint(x, y);
      if (!hit) continue;
      if (!within(hit, e) && !within(e, hit)) continue; // covered
      if (e.tagName === "LABEL" && e.control && (e.control.type === "file" || e.control.getClientRects().length)) continue; // its control is there
      if (!e.matches(native) && e.parentElement && e.parentElement.closest("a[href],button,[role=button],label")) continue; // a part of one
      found.push(e);
    }
  }
  look(document);
  return found;
}
