// Reads properties that pages may hide: `<input name="elements">` and the like replace a form's own properties, in every world,
// and named elements of a document replace the document's. The page can't change the prototypes of an isolated world. All
// functions also work on the nodes of other documents of this origin. shown.js has what only introspection needs.
webmcpHub.parts.dom = () => {
  /**
   * Returns a function that reads a property, even if an element hides it.
   * @param {object} proto that has the getter
   * @param {string} name
   * @returns {(node: Node) => *}
   */
  const getter = (proto, name) => {
    const { get } = Object.getOwnPropertyDescriptor(proto, name);
    return (node) => Reflect.apply(get, node, []);
  };
  /**
   * Returns a function that calls a method, even if an element hides it.
   * @param {object} proto that has the method
   * @param {string} name
   * @returns {(node: Node, ...args: *[]) => *}
   */
  const method = (proto, name) => (node, ...args) => Reflect.apply(proto[name], node, args);
  const type = getter(Node.prototype, "nodeType");
  /**
   * Returns a function that calls a method that both documents and shadow roots have.
   * @param {string} name
   * @returns {(root: Document | DocumentFragment, ...args: *[]) => *}
   */
  const ofRoot = (name) => {
    const ofDocument = method(Document.prototype, name), ofFragment = method(DocumentFragment.prototype, name);
    return (root, ...args) => (type(root) === Node.DOCUMENT_NODE ? ofDocument : ofFragment)(root, ...args);
  };

  return {
    getter,
    method,
    ofRoot,
    type,
    action: getter(HTMLFormElement.prototype, "action"),
    attribute: method(Element.prototype, "getAttribute"),
    controls: getter(HTMLFormElement.prototype, "elements"),
    hasAttribute: method(Element.prototype, "hasAttribute"),
    next: getter(Node.prototype, "nextSibling"),
    parent: getter(Node.prototype, "parentNode"),
    readyState: getter(Document.prototype, "readyState"),
    requestSubmit: method(HTMLFormElement.prototype, "requestSubmit"),
    rootOf: method(Node.prototype, "getRootNode"),
    select: ofRoot("querySelectorAll"),
  };
};
