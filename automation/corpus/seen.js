// Returns the text that a person can read on the page, by the browser's own layout, and the text that nobody can read.
//
//   runs     visible text in document order, each of one text node or field.
//            glued says that nothing separates the run from the one before.
//   names    text that isn't visible but may be in a name: attributes, referenced and clipped text,
//            options of closed selects, generated content, signs whose control has a label
//   hidden   text that isn't rendered at all
//
// Text beyond the edge of a scroller counts as visible, because a person can scroll there. Text is among the names if
// overflow cuts it off, if nobody can scroll to it, or if it is transparent or has no size: it may be meant for
// screen readers.
() => {
  const runs = [], names = new Set(), hidden = new Set();
  const clean = (s) => s.replace(/[\u200b-\u200f\u2060\ufeff\u00ad\ue000-\uf8ff]/g, "").replace(/\s+/g, " ").trim();
  const up = (e) => e.assignedSlot || e.parentElement || (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
  const styles = new Map();
  const style = (e) => styles.get(e) || styles.set(e, getComputedStyle(e)).get(e);
  const least = 2; // pixels that a text needs in each direction

  // Cuts one direction of a box to [l, r].
  const cut = (b, x, l, r) => { b[x] = Math.max(b[x], l); b[x + 2] = Math.min(b[x + 2], r); };

  // Cuts one direction (0 across, 1 down) of a box to the part that an element shows, or can show by scrolling.
  function overflow(b, x, kind, from, to, scrolled, size) {
    if (kind === "visible") return;
    if (kind === "hidden" || kind === "clip") return cut(b, x, from, to);
    cut(b, x, from - scrolled, from - scrolled + Math.max(size, to - from));
    if (b[x + 2] - b[x] >= least) b[x] = from, b[x + 2] = to;
  }

  // Returns whether a part of a rectangle in an element remains after everything that cuts it.
  function reached(rect, element) {
    const b = [rect.left, rect.top, rect.right, rect.bottom];
    let skip = ""; // fixed or absolute, while ancestors that don't contain the box are passed over
    for (let e = element; e; e = up(e)) {
      const s = style(e);
      const contains = s.transform !== "none" || s.filter !== "none" || /paint|layout|strict|content/.test(s.contain) || s.willChange === "transform";
      if (s.clipPath.startsWith("inset(") || s.clip !== "auto") {
        const own = e.getBoundingClientRect();
        const part = (v, of) => v.endsWith("%") ? parseFloat(v) / 100 * of : parseFloat(v) || 0;
        if (s.clipPath.startsWith("inset(")) {
          const [t, r = t, bo = t, l = r] = s.clipPath.slice(6, -1).split(" round ")[0].split(" ");
          cut(b, 0, own.left + part(l, own.width), own.right - part(r, own.width));
          cut(b, 1, own.top + part(t, own.height), own.bottom - part(bo, own.height));
        }
        const rect = /^rect\((\S+?),? (\S+?),? (\S+?),? (\S+?)\)$/.exec(s.clip);
        if (rect && (s.position === "absolute" || s.position === "fixed")) {
          cut(b, 0, own.left + part(rect[4], 0), rect[2] === "auto" ? own.right : own.left + part(rect[2], 0));
          cut(b, 1, own.top + part(rect[1], 0), rect[3] === "auto" ? own.bottom : own.top + part(rect[3], 0));
        }
      }
      const root = e === document.documentElement || e === document.body;
      const passed = skip === "fixed" && !contains || skip === "absolute" && !contains && s.position === "static";
      if (!passed) skip = "";
      if (!passed && !root && s.display !== "inline" && s.display !== "contents") {
        const own = e.getBoundingClientRect(), l = own.left + e.clientLeft, t = own.top + e.clientTop;
        overflow(b, 0, s.overflowX, l, l + e.clientWidth, e.scrollLeft, e.scrollWidth);
        overflow(b, 1, s.overflowY, t, t + e.clientHeight, e.scrollTop, e.scrollHeight);
      }
      if (b[2] - b[0] < least || b[3] - b[1] < least) return false;
      if (s.overlay === "auto") { skip = s.position; break; } // in the top layer, where no ancestor cuts it
      if (s.position === "fixed" || s.position === "absolute" && skip !== "fixed") skip = s.position;
    }
    const d = document.documentElement;
    const outer = style(d).overflowX === "visible" && style(d).overflowY === "visible" ? style(document.body) : style(d);
    const kind = (v) => v === "visible" ? "auto" : v;
    overflow(b, 0, skip === "fixed" ? "hidden" : kind(outer.overflowX), 0, innerWidth, scrollX, d.scrollWidth);
    overflow(b, 1, skip === "fixed" ? "hidden" : kind(outer.overflowY), 0, innerHeight, scrollY, d.scrollHeight);
    return b[2] - b[0] >= least && b[3] - b[1] >= least;
  }

  // Returns the nearest element with a box: e itself or an ancestor.
  function boxed(e) {
    while (style(e).display === "contents") e = up(e);
    return e;
  }
  function shown(element) { return boxed(element).checkVisibility({ visibilityProperty: true }); }
  function opaque(element) {
    return boxed(element).checkVisibility({ opacityProperty: true }) && !/^rgba.*, 0\)$/.test(style(element).webkitTextFillColor);
  }

  let last = ""; // the block's previous text
  function run(text, raw) {
    const t = clean(text);
    if (!t) return;
    runs.push({ text: t, glued: /\S$/.test(last) && /^\S/.test(raw) });
    last = raw;
  }

  function textNode(node, element) {
    if (!/\S/.test(node.data)) { last += node.data; return; }
    if (!shown(element)) return void hidden.add(clean(node.data));
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()];
    if (!rects.length) return void hidden.add(clean(node.data));
    // In a control with a label, a sign such as "×" is only a name, because the label says what the control does.
    const signs = !/[\p{L}\p{N}]/u.test(node.data) && element.closest("a,button,[role],[tabindex],[title]")?.matches("[aria-label],[aria-labelledby],[title]");
    if (signs || !opaque(element) || !rects.some((r) => r.width >= 1 && r.height >= least && reached(r, element))) return void names.add(clean(node.data));
    run(node.data, node.data);
  }

  const textual = /^(text|search|url|tel|email|number|password)$/;
  function field(e) {
    const type = e.localName === "input" ? e.type : e.localName;
    const r = e.getBoundingClientRect();
    const see = shown(e) && opaque(e) && r.width >= least && r.height >= least && reached(r, e);
    const say = (t) => see ? run(t, "") : names.add(clean(t));
    names.add(clean(e.placeholder || ""));
    if (type === "select") {
      const open = e.multiple || e.size > 1;
      for (const o of e.options) (see && (open || o.selected) && !o.hidden ? (t) => run(t, "") : (t) => names.add(clean(t)))(o.label);
    } else if (type === "textarea" || textual.test(type)) {
      if (type !== "password" && e.value) say(e.value);
      else if (!e.value && e.placeholder) say(e.placeholder);
    } else if (/^(submit|reset|button)$/.test(type)) {
      if (e.value) say(e.value);
    } else {
      names.add(clean(e.value || ""));
      if (type === "file") names.add("Choose File").add("No file chosen");
    }
  }

  const said = ["aria-label", "alt", "title", "placeholder", "value", "aria-valuetext", "aria-description", "aria-roledescription", "aria-placeholder",
    "aria-valuenow", "label", "summary"];
  function element(e) {
    for (const a of said) if (e.hasAttribute(a)) names.add(clean(e.getAttribute(a)));
    for (const a of ["aria-labelledby", "aria-describedby", "aria-errormessage", "aria-details"]) {
      for (const id of (e.getAttribute(a) || "").split(/\s+/)) {
        const other = id && e.getRootNode().getElementById(id);
        if (other) names.add(clean(other.textContent));
      }
    }
    for (const l of e.labels || []) names.add(clean(l.textContent));
    if (e.ariaLabelledByElements) for (const l of e.ariaLabelledByElements) names.add(clean(l.textContent));
    for (const pseudo of ["::before", "::after", "::marker"]) {
      const c = getComputedStyle(e, pseudo).content;
      for (const m of c.matchAll(/"((?:[^"\\]|\\.)*)"/g)) names.add(clean(m[1]));
    }
    if (e.localName === "ol") for (let i = 0, n = e.start; i < e.children.length; i++, n++) names.add(n + ".");
    if (e.matches("input,textarea,select")) return field(e);
    if (e.matches("script,style,template,noscript,head,iframe,object,video,audio,datalist,option,optgroup")) {
      if (e.matches("datalist")) for (const o of e.options) names.add(clean(o.value + " " + o.label));
      return;
    }
    if (e.matches("canvas,title,desc,progress,meter") && e !== document.head) { // only for screen readers, if at all
      names.add(clean(e.textContent));
      return;
    }
    const inner = e.shadowRoot || e;
    const nodes = e.localName === "slot" && e.assignedNodes().length ? e.assignedNodes() : inner.childNodes;
    const block = !/^(inline|contents)/.test(style(e).display);
    if (block) last = "";
    for (const n of nodes) {
      if (n.nodeType === Node.TEXT_NODE) textNode(n, e);
      else if (n.nodeType === Node.ELEMENT_NODE) element(n);
    }
    if (block) last = "";
  }
  names.add(clean(document.title));
  element(document.body);
  names.delete("");
  const visible = new Set(runs.map((r) => r.text));
  return { runs, names: [...names], hidden: [...hidden].filter((t) => t && !visible.has(t) && !names.has(t)), innerText: document.body.innerText };
}
