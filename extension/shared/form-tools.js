// The declarative tools of a document: which forms are tools, and what a call does with one.
//
// The texts are Chromium's where it has any. Two things can't be the same: there is no SubmitEvent.respondWith, so a page can't
// answer a call with it; and if the page calls form.submit(), only the navigation that follows shows it.
webmcpHub.parts.formTools = ({ dom, formSchema, formFill }) => {
  const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
  const CHANGED = "Tool execution cancelled, since tool definition was updated";
  let current = new Map(); // name -> {form, tool, print}
  const pending = new Map(); // form -> {resolve, reject} of the call that waits for a submit

  // Returns whether the parser is done with the form, that is, has gone on to something after it.
  const whole = (form) => {
    for (let n = form; n; n = dom.parent(n)) if (dom.next(n)) return true;
    return dom.readyState(document) !== "loading";
  };

  /** Reads the document's forms anew. Fails a waiting call if its form has changed meanwhile. */
  const scan = () => {
    const found = new Map();
    for (const form of dom.select(document, "form[toolname][tooldescription]")) {
      const name = dom.attribute(form, "toolname");
      if (!NAME.test(name) || found.has(name) || !whole(form)) continue;
      const tool = { name, description: dom.attribute(form, "tooldescription"), inputSchema: formSchema.schema(form) };
      const title = dom.attribute(form, "tooltitle");
      if (title) tool.title = title;
      found.set(name, { form, tool, print: JSON.stringify([tool, dom.hasAttribute(form, "toolautosubmit")]) });
    }
    for (const [name, was] of current) {
      const now = found.get(name);
      const waiting = pending.get(was.form);
      if (waiting && !waiting.sent && (now?.form !== was.form || now.print !== was.print)) waiting.reject(new Error(CHANGED));
    }
    current = found;
  };

  const isSubmit = (e) =>
    (e instanceof HTMLButtonElement && e.type === "submit") ||
    (e instanceof HTMLInputElement && (e.type === "submit" || e.type === "image"));
  /**
   * @param {HTMLFormElement} form
   * @returns {HTMLElement | undefined} the button that submits the form
   */
  const submitter = (form) => [...dom.controls(form)].find((e) => isSubmit(e) && !e.matches(":disabled"));

  const invalid = (form) => {
    const wrong = [...dom.controls(form)].filter((e) => formSchema.isControl(e) && e.willValidate && !e.validity.valid);
    return new Error("Form validation failed: " + wrong.map((e) => `${e.name || "{unknown}"}: ${e.validationMessage}. `).join(""));
  };

  const outcome = (form, e) =>
    e.defaultPrevented
      ? "The form was submitted, and the page handled that by itself. What came of it is to be seen in the page."
      : `The form was submitted to ${e.submitter?.hasAttribute("formaction") ? e.submitter.formAction : dom.action(form)}. ` +
        "If the page navigates, its tools may change: list them again.";

  /**
   * Fills in a form and, if auto is true, submits it; otherwise the user does.
   * @param {HTMLFormElement} form
   * @param {boolean} auto
   * @param {Object<string, *>} args values by the names of parameters
   * @param {AbortSignal} signal ends the call
   * @param {object} [reading] how the form's controls are named, as in formSchema.schema
   * @returns {Promise<string>} what was done
   */
  const send = (form, auto, args, signal, reading) => new Promise((resolve, reject) => {
    const button = submitter(form);
    if (!auto && !button) throw new Error("No submit button was found, but for a form without `toolautosubmit`, there must be a submit button");
    pending.get(form)?.reject(new Error("Tool execution cancelled: the tool was called again"));
    formFill.fillForm(form, args, reading);
    const ending = (end) => (value) => {
      if (pending.get(form) === waiting) pending.delete(form);
      end(value);
    };
    const waiting = { resolve: ending(resolve), reject: ending(reject), sent: undefined };
    pending.set(form, waiting);
    listen(dom.rootOf(form)); // submit and reset don't leave a shadow tree
    signal.addEventListener("abort", () => waiting.reject(signal.reason));
    if (!auto) return button.focus();
    try {
      dom.requestSubmit(form, ...(button ? [button] : []));
    } catch (e) {
      return waiting.reject(e);
    }
    // Answers at once: the next document may be on its way.
    if (waiting.sent) waiting.resolve(outcome(form, waiting.sent));
    else waiting.reject(invalid(form));
  });

  /**
   * Calls a tool that the last scan has found.
   * @param {string} name
   * @param {Object<string, *>} args
   * @param {AbortSignal} signal
   * @returns {Promise<string>} what was done
   */
  const call = (name, args, signal) => {
    const { form } = current.get(name);
    return send(form, dom.hasAttribute(form, "toolautosubmit"), args, signal);
  };

  // Calls then when all listeners of an event have run: only then is it known whether the page prevented the event.
  const afterwards = (e, then) => {
    const form = e.target, waiting = pending.get(form);
    if (!waiting || (e.type === "submit" && waiting.sent === e)) return; // or already seen
    if (e.type === "submit") waiting.sent = e;
    setTimeout(() => then(waiting, form));
  };
  const onSubmit = (e) => afterwards(e, (waiting, form) => waiting.resolve(outcome(form, e)));
  const onReset = (e) => afterwards(e, (waiting) => e.defaultPrevented || waiting.reject(new Error("Tool execution cancelled by a form reset")));

  const listen = (where) => {
    where.addEventListener("submit", onSubmit, true);
    where.addEventListener("reset", onReset, true);
  };

  return {
    scan,
    call,
    send,
    submitter,
    /** @param {string} name @returns {boolean} whether there is a tool of that name */
    has: (name) => current.has(name),
    /** @returns {object[]} the tools, as MCP lists them */
    tools: () => [...current.values()].map(({ tool }) => tool),
    /** Listens for submit and reset events. It may be called again. */
    listen: () => listen(window),
    /** Stops listening. */
    deafen: () => {
      removeEventListener("submit", onSubmit, true);
      removeEventListener("reset", onReset, true);
    },
  };
};
