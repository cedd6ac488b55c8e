// What a page's user can see and use just now: nothing that is hidden or inert, or behind a modal dialog.
webmcpHub.parts.inReach = ({ shown: dom }) => {
  const SMALLEST = 20; // pixels of a frame that a user can use

  const shown = (e) => dom.visible(e, { visibilityProperty: true }) && !dom.closest(e, "[inert], [aria-hidden=true]");

  // Returns a document's open modal dialog, or undefined. Of several it is the one with the focus, or else the last.
  const modal = (roots) => {
    const open = roots.flatMap((root) => [...dom.select(root, "dialog:modal, [aria-modal=true]")]).filter(shown);
    if (open.length < 2) return open[0];
    let focus = dom.focused(roots[0]);
    for (let tree; focus && (tree = dom.shadow(focus)) && tree.activeElement; ) focus = tree.activeElement;
    return open.findLast((e) => focus && dom.holds(e, focus)) ?? open.at(-1);
  };

  // Returns whether the user can see and use this window's frame and those around it. All have this window's origin.
  const ofFrame = () => {
    for (let w = window; w !== w.parent; w = w.parent) {
      const frame = w.frameElement;
      if (!frame || frame.clientWidth < SMALLEST || frame.clientHeight < SMALLEST || !shown(frame)) return false;
      const front = modal(dom.roots(w.parent.document));
      if (front && !dom.holds(front, frame)) return false;
    }
    return true;
  };

  /**
   * Looks at the document as it is now.
   * @returns {{roots: Node[], has: (e: Element) => boolean}} the document with its shadow trees, and whether its user can see
   *   an element and use it
   */
  return () => {
    const roots = dom.roots(document), front = modal(roots), frame = ofFrame();
    return { roots, has: (e) => frame && shown(e) && (!front || dom.holds(front, e)) };
  };
};
