// Finds where an element can be pressed, and what a press there would meet.
(hub) => {
  'use strict';

  const cut = (a, b) => {
    const left = Math.max(a.left, b.left), top = Math.max(a.top, b.top);
    const right = Math.min(a.right, b.right), bottom = Math.min(a.bottom, b.bottom);
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  const usable = (rect) => rect.width > 0 && rect.height > 0 && rect.width * rect.height > 0.99;
  const viewport = () => ({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });

  // shown cuts a box down to the part that the scrollers around its element show.
  const shown = (element, rect) => {
    for (let at = hub.parent(element); at && at !== document.documentElement && at !== document.body; at = hub.parent(at)) {
      const style = getComputedStyle(at);
      if (style.overflow === 'visible' || style.display === 'contents' || style.display === 'inline') continue;
      const box = at.getBoundingClientRect();
      rect = cut(rect, box);
      if (style.position === 'fixed' || style.overlay === 'auto') break;
    }
    return rect;
  };

  // clipped returns the part of an element's box that the scrollers around the element show.
  hub.clipped = (element) => shown(element, element.getBoundingClientRect());

  const at = (rect, fx, fy) => ({ x: rect.left + rect.width * fx, y: rect.top + rect.height * fy });

  // onLine returns points on the line of an SVG shape, whose box is mostly empty.
  const onLine = (element) => {
    if (!element.getPointAtLength || !element.getScreenCTM || !element.getScreenCTM()) return [];
    const length = element.getTotalLength(), matrix = element.getScreenCTM();
    return [0.5, 0.25, 0.75].map((part) => element.getPointAtLength(length * part).matrixTransform(matrix)).map(({ x, y }) => ({ x, y }));
  };

  // points returns the places to try, the best first. more adds places for when something covers the middle. labels
  // adds places on the labels of checkboxes and radio buttons, because pages draw labels in place of them.
  const points = (element, more, labels) => {
    const seen = [], whole = [];
    for (const box of hub.rects(element)) {
      const inView = cut(box, viewport());
      if (!usable(inView)) continue;
      const clipped = shown(hub.drawn(element), inView);
      if (usable(clipped)) seen.push(clipped);
      whole.push(inView);
    }
    const found = seen.map((rect) => at(rect, 0.5, 0.5)).concat(whole.slice(0, 1).map((rect) => at(rect, 0.5, 0.5)));
    found.push(...onLine(element));
    if (more || element instanceof SVGElement || element.nodeName === 'AREA')
      for (const rect of seen.slice(0, 2))
        for (const [fx, fy] of [[0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]])
          found.push(at(rect, fx, fy));
    const ticked = labels && element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type);
    return found.slice(0, 20).concat(...(ticked ? [...element.labels] : []).map((label) => points(label).slice(0, 4)));
  };

  // belongs says whether the element that was hit is the target or inside it, or is in a label of the target but not in
  // a link or control of that label.
  hub.belongs = (hit, target, roots) => {
    let other = false;
    for (let at = hit; at; at = hub.flatParent(at, roots)) {
      if (at === target) return true;
      if (at.nodeName === 'LABEL' && at.control === target) return !other;
      other = other || at.matches('a[href], button, input, select, textarea, summary');
    }
    return false;
  };

  // hit returns the innermost element at a point, as far as the target's roots show it.
  const hit = (roots, x, y) => {
    let found = null;
    for (let i = roots.length - 1; i >= 0; i--) {
      const here = roots[i].elementFromPoint(x, y);
      if (!here) break;
      found = here;
      if (i > 0 && here !== roots[i - 1].host) break;
    }
    return found;
  };

  // over describes what covers the target: the element hit, and its outermost ancestor that isn't around the target.
  const over = (found, target, roots) => {
    const around = new Set();
    for (let at = target; at; at = hub.flatParent(at, roots)) around.add(at);
    let top = found;
    for (let at = found; at && !around.has(at); at = hub.flatParent(at, roots)) top = at;
    const inner = hub.describe(found);
    return top && top !== found && !around.has(found) ? `${inner} in ${hub.describe(top)}` : inner;
  };

  // test describes what a press at a point would meet; '' is the target itself.
  hub.test = (element, x, y) => (hub.shielding() ? hub.bared(() => test(element, x, y)) : test(element, x, y));
  const test = (element, x, y) => {
    const target = hub.pressed(element);
    const roots = hub.roots(target);
    const found = hit(roots, x, y);
    if (found && (hub.belongs(found, target, roots) || hub.beingDragged(found) || hub.passesDrag(found, target, roots))) return '';
    return over(found || document.documentElement, target, roots);
  };

  // aim returns a point at which a press meets the element; if there is none, the first place, with what covers it.
  hub.aim = (...wanted) => (hub.shielding() ? hub.bared(() => aim(...wanted)) : aim(...wanted));
  const aim = (element, more, labels) => {
    const places = points(element, more, labels);
    let first = '';
    for (const { x, y } of places) {
      const by = test(element, x, y);
      if (!by) return { x, y };
      first = first || by;
    }
    return places.length ? { x: places[0].x, y: places[0].y, by: first } : null;
  };

  // through returns what to press instead of a control that isn't visible: its label, or the place where an editor
  // draws typed text.
  hub.through = (element) => {
    const surface = hub.surface(element);
    if (surface || hub.visible(element)) return surface || element;
    const labels = element instanceof HTMLFormElement ? [] : element.labels || []; // form.labels would be a field
    for (const label of labels) if (hub.visible(label)) return label;
    return element;
  };
}
