// What a form says of itself, past what it may hide: `<input name="elements">` and the like take the place of a form's own
// properties, in every world. An element of a document does the same there. Prototypes of an isolated world are untouched.
// All of it works on the nodes of other documents of this origin, too. shown.js has what only introspection needs.
webmcpHub.parts.dom = () => {
  /**
   * Reads a property past what hides it.
   * @param {object} proto that has the getter
   * @param {string} name
   * @returns {(node: Node) => *}
   */
  const getter = (proto, name) => {
    const { get } = Object.getOwnPropertyDescriptor(proto, name);
    return (node) => Reflect.apply(get, node, []);
  };
  /**
   * Calls a method past what hides it.
   * @param {object} proto that has the method
   * @param {string} name
   * @returns {(node: Node, ...args: *[]) => *}
   */
  const method = (proto, name) => (node, ...args) => Reflect.apply(proto[name], node, args);
  const type = getter(Node.prototype, "nodeType");
  /**
   * Calls a method that documents and shadow roots have by the same name.
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
