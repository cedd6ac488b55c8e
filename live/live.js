"use strict";
// Keeps the page's sections as the server renders them, without disturbing the user: fields keep what the user entered,
// details stay open, and the focus stays.
(() => {
  const by = (id) => document.getElementById(id);
  const status = by("status");
  let from = document.body.dataset.events;
  if (!status || !from) return;
  let source = null, unseen = 0;
  const open = () => {
    source = new EventSource(from);
    source.onopen = () => { status.textContent = "Live"; };
    source.onerror = () => { status.textContent = "Not connected to the hub; what you see may be out of date"; };
    source.onmessage = told;
  };
  // A question that has just come, or has moved because another one ended, may lie under a pointer that was meant for
  // another question. So it takes no clicks for a moment.
  const settling = new Map(); // timers by the ids of questions
  const dim = (id) => { const q = by(id); if (q) q.classList.toggle("settling", settling.has(id)); };
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
    for (const id of settling.keys()) dim(id); // the server's HTML lacks this class
    asked();
    clocks();
  };
  const update = (e) => {
    for (const [id, html] of Object.entries(JSON.parse(e.data))) {
      const at = by(id);
      if (!at) continue;
      const t = document.createElement("template");
      t.innerHTML = html;
      children(at, t.content);
    }
  };
  // Browsers allow six connections to one server, so a page that nobody sees closes its own.
  const seen = () => {
    clearTimeout(unseen);
    if (document.visibilityState !== "hidden") { if (!source) open(); return; }
    unseen = setTimeout(() => {
      if (!source || self.Notification && Notification.permission === "granted") return; // to notify the user
      source.close();
      source = null;
      status.textContent = "At rest while nobody sees this page";
    }, 30000);
  };
  document.addEventListener("visibilitychange", seen);
  for (const id of places().keys()) settle(id); // they may lie where the last page's did
  open();
  seen();

  // The title and the icon show that a question waits, and so does a system notification if the user wants it.
  const title = document.title, icon = document.querySelector("link[rel=icon]");
  const drawn = (dot) => "data:image/svg+xml," + encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b4fa8"/><path d="M7 9l4 14 5-12 5 12 4-14" fill="none" stroke="#fff" stroke-width="3"/>${dot ? '<circle cx="25" cy="7" r="7" fill="#e0820f"/>' : ""}</svg>`);
  let known = null;
  function asked() {
    const all = [...document.querySelectorAll(".question")].map((q) => q.id), was = known;
    known = all;
    document.title = all.length ? `(${all.length}) ${title}` : title;
    if (icon && (!was || !!was.length !== !!all.length)) icon.href = drawn(all.length > 0);
    if (was && all.some((id) => !was.includes(id)) && !document.hasFocus() && self.Notification && Notification.permission === "granted") {
      const n = new Notification("WebMCP Hub", { body: "An agent waits for your answer.", tag: "webmcp-hub", renotify: true });
      n.onclick = () => { focus(); n.close(); };
    }
  }
  asked();
  const notify = by("notify");
  if (notify && self.Notification) {
    notify.hidden = Notification.permission !== "default";
    notify.onclick = async () => { await Notification.requestPermission(); notify.hidden = Notification.permission !== "default"; };
  }

  // Shows how long calls have been running, and how long questions still wait.
  function clocks() {
    const length = (ms) => { const s = Math.max(0, Math.round(ms / 1000)); return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`; };
    const say = (el, text) => { if (el.textContent !== text) el.textContent = text; };
    for (const el of document.querySelectorAll("[data-since]")) say(el, length(Date.now() - el.dataset.since));
    for (const el of document.querySelectorAll("[data-until]")) say(el, `, waits for another ${length(el.dataset.until - Date.now())}`);
  }
  clocks();
  setInterval(clocks, 1000);

  // The filter applies while the user types.
  const filter = document.querySelector("form.filter");
  let typing = 0;
  const select = () => {
    const q = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value));
    history.replaceState(null, "", "./?" + q);
    from = "events?" + q;
    if (source) { source.close(); open(); }
  };
  if (filter) filter.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(select, 250); });

  // Keyboard shortcuts, which do nothing while the user types.
  const help = by("help"), shortcuts = by("shortcuts");
  if (help && shortcuts) {
    shortcuts.hidden = false;
    shortcuts.onclick = () => help.showModal();
    const to = (id) => { const el = by(id); if (el) { el.scrollIntoView({ block: "start" }); el.tabIndex = -1; el.focus({ preventScroll: true }); } };
    const step = (by) => {
      const rows = [...document.querySelectorAll("#calls tbody tr")], at = rows.findIndex((r) => r.classList.contains("chosen"));
      const next = rows[at < 0 ? 0 : at + by];
      if (next) next.querySelector("a").click();
    };
    const keys = { "?": () => help.showModal(), q: () => to("questions"), c: () => to("calls"), t: () => to("tabs"), j: () => step(1), k: () => step(-1),
      "/": () => filter && filter.elements.q.focus(), Escape: () => { const a = by("close-call"); if (a) a.click(); } };
    addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || help.open || e.target.closest("input, select, textarea, dialog") || !keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
  }
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
    for (const { name } of [...have.attributes]) if (!want.hasAttribute(name) && !(kept.includes(name) && have.nodeName !== "BUTTON")) have.removeAttribute(name);
    for (const { name, value } of want.attributes) {
      if (have.getAttribute(name) !== value && !(kept.includes(name) && have.type !== "hidden" && have.nodeName !== "BUTTON")) have.setAttribute(name, value);
    }
    children(have, want);
  }
})();
