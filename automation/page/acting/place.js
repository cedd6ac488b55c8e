// Finds the wanted place of an action in an element: a point of its box, or a passage of its text.
(hub) => {
  'use strict';

  // passage returns the range of a text in an element, however white space and elements divide the text.
  const passage = (element, text) => {
    const wanted = text.replace(/\s+/g, ' ').trim();
    let all = '';
    const from = []; // the text node and offset of each character of all
    const walk = (node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        for (let i = 0; i < node.data.length; i++) {
          const blank = /\s/.test(node.data[i]);
          if (blank && (!all || all.endsWith(' '))) continue;
          all += blank ? ' ' : node.data[i];
          from.push([node, i]);
        }
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE || !hub.visible(node)) return;
      const block = !getComputedStyle(node).display.startsWith('inline') || node.nodeName === 'BR';
      if (block && all && !all.endsWith(' ')) { all += ' '; from.push([node, 0]); }
      const slotted = node.nodeName === 'SLOT' && node.assignedNodes({ flatten: true });
      const children = (slotted && slotted.length && slotted) || (node.shadowRoot || node).childNodes;
      for (const child of children) walk(child);
      if (block && all && !all.endsWith(' ')) { all += ' '; from.push([node, 0]); }
    };
    walk(element);
    const at = wanted ? all.indexOf(wanted) : -1;
    if (at < 0) return null;
    const range = document.createRange();
    range.setStart(...from[at]);
    const [last, offset] = from[at + wanted.length - 1];
    range.setEnd(last, offset + 1);
    return range;
  };

  const pointIn = (element, o) => {
    if (o.text === undefined) {
      const box = hub.box(element);
      if (o.x < 0 || o.y < 0 || o.x > box.width || o.y > box.height)
        return { state: 'outside', by: `${Math.round(box.width)} × ${Math.round(box.height)}` };
      return { x: box.left + o.x, y: box.top + o.y };
    }
    const range = passage(element, o.text);
    if (!range) return { state: 'textless' };
    const rects = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    if (!rects.length) return { state: 'textless' };
    // A passage begins at the left of its first box and ends at the right of its last one.
    const rect = o.end ? rects[rects.length - 1] : rects[0];
    const inset = Math.min(0.5, rect.width / 4);
    return { x: o.end ? rect.right - inset : rect.left + inset, y: (rect.top + rect.bottom) / 2 };
  };

  // bring scrolls the scrollers around an element until the wanted point is in view.
  const bring = (element, o) => {
    for (let at = hub.parent(hub.drawn(element)); at; at = hub.parent(at)) {
      const root = at === document.scrollingElement;
      if (!root && (getComputedStyle(at).overflow === 'visible' || (at.scrollHeight <= at.clientHeight && at.scrollWidth <= at.clientWidth))) continue;
      const { x, y } = pointIn(element, o);
      const box = root ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : at.getBoundingClientRect();
      if (x >= box.left && x < box.right && y >= box.top && y < box.bottom) continue;
      at.scrollBy({ left: x - (box.left + box.right) / 2, top: y - (box.top + box.bottom) / 2, behavior: 'instant' });
    }
  };

  // place returns a wanted point of an element as { x, y, by }; by describes what covers it. If there is no such point,
  // it returns the state that says why. It returns null for a point that is out of view.
  hub.place = (element, o, scroll) => {
    let point = pointIn(element, o);
    if (point.state) return point;
    if (scroll) {
      bring(element, o);
      point = pointIn(element, o);
    }
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) return null;
    return { ...point, by: hub.test(element, point.x, point.y) };
  };
}
