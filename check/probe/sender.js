// Is called on the form that a tool is, in a world of the check's own: sends it, as its user
// would, once Chrome has filled it in for a call. Elements of a page stand in for globals that
// aren't there, and for members of documents and forms, by their names and ids; so these are
// asked of prototypes, and what is kept has a symbol for a name.
function (tool) {
  const own = (prototype, name, of) => Reflect.get(prototype, name, of);
  const call = (prototype, name, of, ...args) => Reflect.apply(prototype[name], of, args);
  // A call whose arguments Chrome has refused by now is over, and the form waits for nobody.
  const waits = () => !CSS.supports("selector(:tool-form-active)") || call(Element.prototype, "matches", this, ":tool-form-active");
  const kept = Symbol.for("webmcp-hub-sending");
  globalThis[kept]?.abort(); // what an earlier call has left
  const until = globalThis[kept] = new AbortController();
  own(Document.prototype, "modelContext", document).addEventListener("toolactivated", (e) => {
    if (e.toolName !== tool) return;
    until.abort();
    const button = call(Element.prototype, "querySelector", this, "button:not([type]),[type=submit],[type=image]");
    setTimeout(() => { if (waits()) call(HTMLFormElement.prototype, "requestSubmit", this, button); });
  }, { signal: until.signal });
}
