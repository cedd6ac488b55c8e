// What a form says of itself, past what it may hide: `<input name="elements">` and the like take the place of a form's own
// properties, in every world. An element of a document does the same there. Prototypes of an isolated world are untouched.
// All of it works on the nodes of other documents of this origin, too.
webmcpHub.parts.dom = () => {
  const TREES = 1000; // open shadow trees of a document that are looked at
  const getter = (proto, name) => {
    const { get } = Object.getOwnPropertyDescriptor(proto, name);
    return (node) => Reflect.apply(get, node, []);
  };
  const method = (proto, name) => (node, ...args) => Reflect.apply(proto[name], node, args);
  // Documents and shadow roots have methods of the same name, but not the same ones.
  const ofRoot = (name) => {
    const ofDocument = method(Document.prototype, name), ofFragment = method(DocumentFragment.prototype, name);
    return (root, ...args) => (type(root) === Node.DOCUMENT_NODE ? ofDocument : ofFragment)(root, ...args);
  };
  const type = getter(Node.prototype, "nodeType"), parent = getter(Node.prototype, "parentNode");
  const shadow = getter(Element.prototype, "shadowRoot"), host = getter(ShadowRoot.prototype, "host");
  const slot = getter(Element.prototype, "assignedSlot"), assigned = method(HTMLSlotElement.prototype, "assignedNodes");
  const children = getter(Node.prototype, "childNodes"), matches = method(Element.prototype, "matches");
  const closestInTree = method(Element.prototype, "closest"), select = ofRoot("querySelectorAll");
  const isElement = (node) => type(node) === Node.ELEMENT_NODE;
  const isSlot = (node) => isElement(node) && matches(node, "slot");

  let trees = false; // whether there is any shadow tree, as far as is known
  // The document and its open shadow trees, those that are deeper later.
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

  // What an element is shown in: its parent or slot, and for what is at the top of a shadow tree, its host.
  const above = (node) => {
    const up = (isElement(node) && slot(node)) || parent(node);
    return up && type(up) === Node.DOCUMENT_FRAGMENT_NODE ? (up instanceof ShadowRoot ? host(up) : null) : up;
  };
  // What is shown in a node, in order.
  const below = (node) => {
    const tree = isElement(node) && shadow(node);
    if (tree) return [...children(tree)];
    const given = isSlot(node) ? assigned(node) : [];
    return given.length > 0 ? given : [...children(node)];
  };
  // The nearest element that matches, of those that an element is shown in, or itself.
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
  const holds = (outer, node) => {
    for (let n = node; n; n = above(n)) if (n === outer) return true;
    return false;
  };

  return {
    roots,
    above,
    below,
    closest,
    holds,
    isElement,
    isSlot,
    select,
    shadow,
    host,
    type,
    parent,
    children,
    matches,
    all: method(Element.prototype, "querySelectorAll"),
    attribute: method(Element.prototype, "getAttribute"),
    hasAttribute: method(Element.prototype, "hasAttribute"),
    action: getter(HTMLFormElement.prototype, "action"),
    byID: ofRoot("getElementById"),
    connected: getter(Node.prototype, "isConnected"),
    contentDocument: getter(HTMLIFrameElement.prototype, "contentDocument"),
    focused: getter(Document.prototype, "activeElement"),
    next: getter(Node.prototype, "nextSibling"),
    readyState: getter(Document.prototype, "readyState"),
    innerText: getter(HTMLElement.prototype, "innerText"),
    controls: getter(HTMLFormElement.prototype, "elements"),
    root: getter(Document.prototype, "documentElement"),
    rootOf: method(Node.prototype, "getRootNode"),
    title: getter(Document.prototype, "title"),
    visible: method(Element.prototype, "checkVisibility"),
    requestSubmit: method(HTMLFormElement.prototype, "requestSubmit"),
  };
};
