// Sends the form that a tool is, as its user would, once Chrome has filled it in.
(() => {
  globalThis.sending?.abort(); // what an earlier call has left
  const until = globalThis.sending = new AbortController();
  document.modelContext.addEventListener("toolactivated", (e) => {
    if (e.toolName !== TOOL) return;
    until.abort();
    const form = [...document.querySelectorAll("form[toolname]")].find((f) => f.getAttribute("toolname") === TOOL);
    setTimeout(() => form?.requestSubmit(form.querySelector("button:not([type]),[type=submit],[type=image]")));
  }, { signal: until.signal });
})()
