"use strict";
// Shows a tab's picture, and sends the user's input to the tab while the user has taken it over.
(() => {
  const by = (id) => document.getElementById(id);
  const main = document.querySelector("main"), status = by("status"), problem = by("problem");
  const screen = by("screen"), frame = by("frame"), typed = by("typed"), take = by("take"), give = by("give"), pausing = by("pausing"), pause = by("pause");
  const says = {
    looking: "You are looking; agents can use the tab.",
    waiting: "Waiting until an agent's action in the tab has ended.",
    yours: "The tab is yours. Agents' clicks and keys wait; they can still read the page and lead it elsewhere.",
    paused: "The tab is yours, and paused for agents.",
    taken: "A person has taken this tab over in another window. You can take it over once they have given it back.",
  };
  let viewer = "", state = "looking", shown = "", queue = [], busy = false, down = null, source = null;

  const post = async (what, events = []) => {
    const body = new URLSearchParams({ do: what, of: main.dataset.tab, nonce: main.dataset.nonce, viewer, pause: pause.checked ? "1" : "", events: JSON.stringify(events) });
    try {
      const answer = await fetch("drive", { method: "POST", body });
      problem.textContent = answer.ok ? "" : await answer.text();
    } catch {
      problem.textContent = "The hub can't be reached.";
    }
  };
  const flush = async () => {
    if (busy) return;
    busy = true;
    while (queue.length) await post("input", queue.splice(0, 50));
    busy = false;
  };
  const push = (e) => {
    e.document = shown; // only for this document
    const last = queue.at(-1);
    if (last && last.kind === e.kind && e.kind === "move") queue.pop();
    if (last && last.kind === e.kind && e.kind === "wheel" && last.document === e.document) { queue.pop(); e.dx += last.dx; e.dy += last.dy; }
    queue.push(e);
    flush();
  };

  const told = (m) => {
    const v = JSON.parse(m.data);
    if (v.viewer) { // this stream has no picture yet; the old one may show another page
      viewer = v.viewer;
      shown = "";
      frame.removeAttribute("src");
      frame.hidden = true;
      return;
    }
    const was = state;
    state = v.state;
    shown = v.document || "";
    if (v.picture) frame.src = "data:image/jpeg;base64," + v.picture;
    if (v.hidden) frame.removeAttribute("src");
    frame.hidden = !frame.hasAttribute("src");
    const is = state === "looking" && v.taken ? "taken" : state === "yours" && v.paused ? "paused" : state;
    const text = [v.hidden || says[is], v.note].filter(Boolean).join(" ");
    if (status.textContent !== text) status.textContent = text;
    take.hidden = pausing.hidden = is !== "looking" || !!v.hidden;
    give.hidden = state === "looking";
    screen.classList.toggle("yours", state === "yours");
    if (v.over) { over = true; source.close(); }
    if (state !== was) seen(); // a hidden page may close its stream now
  };
  const lost = (why) => {
    state = "looking";
    queue = [];
    take.hidden = pausing.hidden = give.hidden = true;
    status.textContent = why;
  };
  // Browsers allow six connections to one server, so a page that nobody sees closes its own.
  let over = false, unseen = 0;
  const open = () => {
    source = new EventSource("picture?tab=" + main.dataset.tab);
    source.onmessage = told;
    source.onerror = () => lost("Not connected to the hub; what you see may be out of date.");
  };
  const seen = () => {
    clearTimeout(unseen);
    if (over) return;
    if (document.visibilityState !== "hidden") { if (!source) open(); return; }
    unseen = setTimeout(() => {
      if (over || state !== "looking" || !source) return;
      source.close();
      source = null;
      lost("The picture stands still while nobody sees this page.");
    }, 30000);
  };
  document.addEventListener("visibilitychange", seen);
  open();
  seen();
  take.onclick = () => { post("take"); typed.focus({ preventScroll: true }); };
  give.onclick = () => post("give");

  const modifiers = (e) => (e.altKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);
  const mouse = (kind, e, more) => {
    const at = frame.getBoundingClientRect();
    const part = (of, from, size) => Math.min(1, Math.max(0, (of - from) / size));
    push({ kind, x: part(e.clientX, at.left, at.width), y: part(e.clientY, at.top, at.height), modifiers: modifiers(e), ...more });
  };
  const button = (e) => ["left", "middle", "right"][e.button];
  let clicks = 0;
  screen.addEventListener("mousedown", (e) => {
    if (state !== "yours" || e.target !== frame || !button(e)) return;
    e.preventDefault();
    typed.focus({ preventScroll: true });
    down = button(e);
    clicks = Math.min(3, e.detail);
    mouse("down", e, { button: down, clicks });
  });
  addEventListener("mousemove", (e) => { if (down && state === "yours") mouse("move", e, { button: down }); });
  addEventListener("mouseup", (e) => {
    if (down && button(e) === down && state === "yours") mouse("up", e, { button: down, clicks });
    if (button(e) === down) down = null;
  });
  screen.addEventListener("contextmenu", (e) => { if (state === "yours") e.preventDefault(); });
  screen.addEventListener("wheel", (e) => {
    if (state !== "yours") return;
    e.preventDefault();
    const by = (d) => Math.max(-2000, Math.min(2000, d * [1, 40, 400][e.deltaMode]));
    mouse("wheel", e, { dx: by(e.deltaX), dy: by(e.deltaY) });
  }, { passive: false });
  screen.addEventListener("keydown", (e) => {
    if (state !== "yours" || e.isComposing || ["Shift", "Control", "Alt", "Meta", "AltGraph", "Dead", "Process", "Unidentified", "Compose"].includes(e.key)) return;
    if (e.key === "Escape" && e.shiftKey) { give.focus(); return; }
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "v") return; // the paste event sends text
    e.preventDefault();
    if (e.repeat && (e.key === "Enter" || e.key === "Escape")) return; // it might answer a dialog that has just come
    if ([...e.key].length === 1 && e.key > "~") { push({ kind: "text", text: e.key }); return; } // not on Chrome's own keyboard
    push({ kind: "key", key: e.key, modifiers: e.getModifierState("AltGraph") ? 0 : modifiers(e) });
  });
  // Sends what an input method composes, and what a phone's keyboard or an emoji picker enters.
  const entered = () => {
    const text = typed.value;
    typed.value = "";
    if (text && state === "yours") push({ kind: "text", text });
  };
  typed.addEventListener("compositionend", entered);
  typed.addEventListener("input", (e) => { if (!e.isComposing) entered(); });
  screen.addEventListener("paste", (e) => {
    const text = e.clipboardData.getData("text/plain");
    if (state !== "yours" || !text) return;
    e.preventDefault();
    push({ kind: "text", text });
  });
})();
