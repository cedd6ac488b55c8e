"use strict";
// Keeps the page's sections as the server renders them, without disturbing what
// the user is doing: fields keep what was entered, details stay open, the focus stays.
(() => {
  const status = document.getElementById("status");
  const from = document.body.dataset.events;
  if (!status || !from) return;
  let source = null, unseen = 0;
  const open = () => {
    source = new EventSource(from);
    source.onopen = () => { status.textContent = "Live"; };
    source.onerror = () => { status.textContent = "Not connected to the hub; what you see may be out of date"; };
    source.onmessage = told;
  };
  // A question that has just come, or moved as another one ended, may lie under a pointer that was meant for another
  // question: it takes no clicks for a moment.
  const settling = new Map(); // timers by the ids of questions
  const dim = (id) => { const q = document.getElementById(id); if (q) q.classList.toggle("settling", settling.has(id)); };
  const settle = (id) => {
    clearTimeout(settling.get(id));
    settling.set(id, setTimeout(() => { settling.delete(id); dim(id); }, 500));
    dim(id);
  };
  const places = () => new Map([...document.querySelectorAll(".question")].map((q) => [q.id, q.getBoundingClientRect().top]));
  const told = (e) => {
    const before = places();
    update(e);
    for (const [id, top] of places()) if (before.get(id) !== top) settle(id);
    for (const id of settling.keys()) dim(id); // the server's version of it has no such class
  };
  const update = (e) => {
    for (const [id, html] of Object.entries(JSON.parse(e.data))) {
      const at = document.getElementById(id);
      if (!at) continue;
      const t = document.createElement("template");
      t.innerHTML = html;
      children(at, t.content);
    }
  };
  // Browsers have six connections to one server: a page that nobody sees leaves its to others.
  const seen = () => {
    clearTimeout(unseen);
    if (document.visibilityState !== "hidden") { if (!source) open(); return; }
    unseen = setTimeout(() => {
      if (!source) return;
      source.close();
      source = null;
      status.textContent = "At rest while nobody sees this page";
    }, 30000);
  };
  document.addEventListener("visibilitychange", seen);
  for (const id of places().keys()) settle(id); // they may be where those of the last page were
  open();
  seen();
  const edited = (el) => el.nodeName === "FORM" && el.contains(document.activeElement) && document.activeElement.nodeName !== "BUTTON";
  const same = (a, b) => a && a.nodeName === b.nodeName && (a.id || "") === (b.id || "");
  function children(at, to) {
    const byID = new Map();
    for (const c of at.children) if (c.id) byID.set(c.id, c);
    let next = at.firstChild;
    for (const want of [...to.childNodes]) {
      let have = want.id ? byID.get(want.id) : same(next, want) ? next : null;
      if (!have) { at.insertBefore(want, next); continue; }
      if (have !== next) at.insertBefore(have, next);
      next = have.nextSibling;
      patch(have, want);
    }
    while (next) { const gone = next; next = next.nextSibling; gone.remove(); }
  }
  function patch(have, want) {
    if (have.nodeType !== 1) {
      if (have.nodeValue !== want.nodeValue) have.nodeValue = want.nodeValue;
      return;
    }
    if (edited(have)) return;
    const kept = ["open", "value", "checked"];
    for (const { name } of [...have.attributes]) if (!want.hasAttribute(name) && !kept.includes(name)) have.removeAttribute(name);
    for (const { name, value } of want.attributes) {
      if (have.getAttribute(name) !== value && !(kept.includes(name) && have.type !== "hidden")) have.setAttribute(name, value);
    }
    children(have, want);
  }
})();
