// The document as the browser shows it, with its open shadow trees: which node is in which, and the properties of elements. It
// has all that dom.js has.
webmcpHub.parts.shown = ({ dom }) => {
  const { getter, method, ofRoot, type, parent, select } = dom;
  const TREES = 1000; // open shadow trees of a document that are looked at
  const shadow = getter(Element.prototype, "shadowRoot"), host = getter(ShadowRoot.prototype, "host");
  const slot = getter(Element.prototype, "assignedSlot"), assigned = method(HTMLSlotElement.prototype, "assignedNodes");
  const children = getter(Node.prototype, "childNodes"), matches = method(Element.prototype, "matches");
  const closestInTree = method(Element.prototype, "closest");
  /** @param {Node} node @returns {boolean} */
  const isElement = (node) => type(node) === Node.ELEMENT_NODE;
  const isSlot = (node) => isElement(node) && matches(node, "slot");

  let trees = false; // whether roots has found a shadow tree
  /**
   * @param {Document} document
   * @returns {Node[]} the document and its open shadow trees, deeper ones later
   */
  const roots = (document) => {
    const found = [document];
    for (let i = 0; i < found.length; i++) {
      for (const e of select(found[i], "*")) {
        const tree = shadow(e);
        if (!tree || found.length === TREES) continue;
        trees = true;
        found.push(tree);
      }
    }
    return found;
  };

  /**
   * @param {Node} node
   * @returns {Node | null} what the node is shown in: its parent or slot, or at the top of a shadow tree, the tree's host
   */
  const above = (node) => {
    const up = (isElement(node) && slot(node)) || parent(node);
    return up && type(up) === Node.DOCUMENT_FRAGMENT_NODE ? (up instanceof ShadowRoot ? host(up) : null) : up;
  };
  /**
   * @param {Node} node
   * @returns {Node[]} what is shown in the node, in order
   */
  const below = (node) => {
    const tree = isElement(node) && shadow(node);
    if (tree) return [...children(tree)];
    const given = isSlot(node) ? assigned(node) : [];
    return given.length > 0 ? given : [...children(node)];
  };
  /**
   * @param {Element} e
   * @param {string} selector
   * @returns {Element | null} the nearest match among the element and those that it is shown in
   */
  const closest = (e, selector) => {
    for (let n = e; n && isElement(n); ) {
      const found = closestInTree(n, selector);
      if (found || !trees) return found;
      let top = n; // of this tree, or what is slotted into another one
      while (!slot(top) && parent(top) && isElement(parent(top))) top = parent(top);
      n = above(top);
    }
    return null;
  };
  /**
   * @param {Node} outer
   * @param {Node} node
   * @returns {boolean} whether the node is shown in outer, or is it
   */
  const holds = (outer, node) => {
    for (let n = node; n; n = above(n)) if (n === outer) return true;
    return false;
  };

  return {
    ...dom,
    roots,
    above,
    below,
    closest,
    holds,
    isElement,
    shadow,
    host,
    matches,
    all: method(Element.prototype, "querySelectorAll"),
    byID: ofRoot("getElementById"),
    connected: getter(Node.prototype, "isConnected"),
    contentDocument: getter(HTMLIFrameElement.prototype, "contentDocument"),
    focused: getter(Document.prototype, "activeElement"),
    innerText: getter(HTMLElement.prototype, "innerText"),
    root: getter(Document.prototype, "documentElement"),
    title: getter(Document.prototype, "title"),
    visible: method(Element.prototype, "checkVisibility"),
  };
};
