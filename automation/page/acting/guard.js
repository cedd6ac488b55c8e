// The guard watches which elements the events of a press reach. If the first event would not reach the target, the
// guard stops it and all later ones, so that nothing else is pressed.
(hub) => {
  'use strict';

  const kinds = {
    press: ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'],
    hover: ['pointermove', 'mousemove'],
    grab: ['pointerdown', 'mousedown'],
    keys: ['keydown', 'keypress', 'beforeinput', 'keyup'],
  };
  const longest = 15000; // ms after which a guard ends by itself
  let armed = null;

  // tell reports an event to the hub at once, because the document may be gone before the hub asks. It leaves out a
  // mouse event after the matching pointer event.
  const pointer = { mousedown: 'pointerdown', mousemove: 'pointermove' };
  const tell = (record, type) => {
    if (!/down$|erup$|click$|contextmenu|move$/.test(type) || record.seen.includes(pointer[type])) return;
    if (globalThis.__webmcpHubSaw) __webmcpHubSaw(`${record.number} ${type}`);
  };

  const disarm = () => {
    if (!armed) return;
    for (const type of armed.types) removeEventListener(type, armed.listener, { capture: true });
    clearTimeout(armed.timer);
    armed = null;
  };

  const watch = (number, kind, judge, told) => {
    disarm();
    const record = { number, seen: [], strayed: '', by: '', blocked: false, missed: false, events: 0 };
    const listener = (event) => {
      if (!event.isTrusted) return;
      if (event.type === 'keyup' && !record.blocked) return; // its key went down in time
      record.events++;
      const by = record.blocked ? record.by : judge(event, !record.seen.length);
      if (!by) {
        if (told) told(record, event.type);
        if (record.seen.length < 100) record.seen.push(event.type);
        return;
      }
      // The page's reaction to the press sent this event elsewhere, as it would for a person, so it passes.
      if (record.seen.length && !record.blocked) { record.strayed = record.strayed || event.type; record.by = record.by || by; return; }
      record.blocked = true;
      record.by = by;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const types = kinds[kind];
    for (const type of types) addEventListener(type, listener, { capture: true, passive: false });
    armed = { record, types, listener, timer: setTimeout(disarm, longest) };
  };

  // arm guards an element of this document.
  hub.arm = (number, element, kind, place) => {
    const roots = hub.roots(element);
    const hidden = roots.some((root) => root instanceof ShadowRoot && root.mode === 'closed');
    const expanded = () => { const at = hub.closest(element, '[aria-expanded]'); return at ? at.getAttribute('aria-expanded') : ''; };
    const before = expanded();
    watch(number, kind, (event, first) => {
      const met = event.composedPath()[0];
      const over = first && hub.shielding() ? hub.test(element, event.clientX, event.clientY) : ''; // a shielded frame above it
      if (over) return over;
      const found = met instanceof Element ? met : hub.element(met) || document.documentElement;
      if (hub.belongs(found, element, roots)) return '';
      if (hidden && found.shadowRoot === null && hub.test(element, event.clientX, event.clientY) === '') return '';
      return hub.describe(found);
    }, tell);
    armed.state = () => ({ connected: element.isConnected, opened: before !== expanded() });
    armed.over = () => (element.isConnected ? hub.test(element, place.x, place.y) : '');
  };

  // armOutside guards the document around a frame, in which no event of a press may arrive. A press that arrives at the
  // frame's own element has missed what is inside: right after a scroll, the browser may not know yet that a frame of
  // another process is there. Mouse moves across the frame's element are normal.
  hub.armOutside = (number, frame, kind, place) => {
    watch(number, kind, (event) => {
      const found = hub.element(event.composedPath()[0]);
      if (found === frame) armed.record.missed = true;
      return found === frame && kind === 'hover' ? '' : hub.describe(found || document.documentElement);
    });
    armed.over = () => (frame.isConnected ? hub.test(frame, place.x, place.y) : '');
  };

  // armKeys guards an element that has the focus. Keys go to the element that has the focus when they come, and the
  // page may have moved the focus by then.
  hub.armKeys = (number, element) => {
    const hosts = hub.roots(element).filter((root) => root instanceof ShadowRoot && root.mode === 'closed').map((root) => root.host);
    watch(number, 'keys', (event) => {
      const path = event.composedPath();
      if (path.includes(element) || hosts.includes(path[0])) return '';
      return hub.describe(hub.element(path[0]) || document.documentElement);
    }, tell);
    armed.over = () => '';
  };

  // seen ends the guard and returns what it saw, after one turn of the page's event loop.
  hub.seen = async (_, number) => {
    const mine = () => armed && armed.record.number === number;
    // If the guard saw no event of the press, then what covers the place now has taken the press.
    const by = mine() && !armed.record.events ? armed.over() : '';
    hub.unshield(number);
    await new Promise((done) => setTimeout(done));
    if (!mine()) return { missing: true };
    const answer = { ...armed.record, by: armed.record.by || by, hidden: document.visibilityState === 'hidden', ...(armed.state ? armed.state() : {}) };
    disarm();
    return answer;
  };

  hub.disarm = (number) => {
    hub.unshield(number);
    if (armed && armed.record.number === number) disarm();
  };
}
