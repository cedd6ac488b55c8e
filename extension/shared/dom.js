// What a form says of itself, past what it may hide: `<input name="elements">` and the like take the place of a form's own
// properties, in every world. An element of a document does the same there. Prototypes of an isolated world are untouched.
webmcpHub.parts.dom = () => {
  const getter = (proto, name) => {
    const { get } = Object.getOwnPropertyDescriptor(proto, name);
    return (node) => Reflect.apply(get, node, []);
  };
  const method = (proto, name) => (node, ...args) => Reflect.apply(proto[name], node, args);
  return {
    all: method(Element.prototype, "querySelectorAll"),
    attribute: method(Element.prototype, "getAttribute"),
    hasAttribute: method(Element.prototype, "hasAttribute"),
    action: getter(HTMLFormElement.prototype, "action"),
    byID: method(Document.prototype, "getElementById"),
    children: getter(Node.prototype, "childNodes"),
    closest: method(Element.prototype, "closest"),
    connected: getter(Node.prototype, "isConnected"),
    next: getter(Node.prototype, "nextSibling"),
    parent: getter(Node.prototype, "parentNode"),
    readyState: getter(Document.prototype, "readyState"),
    innerText: getter(HTMLElement.prototype, "innerText"),
    matches: method(Element.prototype, "matches"),
    controls: getter(HTMLFormElement.prototype, "elements"),
    root: getter(Document.prototype, "documentElement"),
    select: method(Document.prototype, "querySelectorAll"),
    title: getter(Document.prototype, "title"),
    visible: method(Element.prototype, "checkVisibility"),
    requestSubmit: method(HTMLFormElement.prototype, "requestSubmit"),
  };
};
