// Submits a form that is a tool, as its user would, once Chrome has filled it in for a call. The check calls this
// function on the form, in a world of its own. A page's elements with names or ids create globals, and
// hide members of documents and forms. So it gets members from prototypes, and keeps its state under a symbol.
function (tool) {
  const own = (prototype, name, of) => Reflect.get(prototype, name, of);
  const call = (prototype, name, of, ...args) => Reflect.apply(prototype[name], of, args);
  // Returns whether a call waits for the form. None does if Chrome has refused the call's arguments by now.
  const waits = () => !CSS.supports("selector(:tool-form-active)") || call(Element.prototype, "matches", this, ":tool-form-active");
  const kept = Symbol.for("webmcp-hub-sending");
  globalThis[kept]?.abort(); // an earlier call's listener
  const until = globalThis[kept] = new AbortController();
  own(Document.prototype, "modelContext", document).addEventListener("toolactivated", (e) => {
    if (e.toolName !== tool) return;
    until.abort();
    const button = call(Element.prototype, "querySelector", this, "button:not([type]),[type=submit],[type=image]");
    setTimeout(() => { if (waits()) call(HTMLFormElement.prototype, "requestSubmit", this, button); });
  }, { signal: until.signal });
}
