// The guard watches what a press really meets. It lets through what arrives at the element; what
// would arrive elsewhere, it stops, from the first such event on, so that nothing else is pressed.
(hub) => {
  'use strict';

  const kinds = {
    press: ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'],
    hover: ['pointermove', 'mousemove'],
    grab: ['pointerdown', 'mousedown'],
    keys: ['keydown', 'keypress', 'beforeinput', 'keyup'],
  };
  const longest = 15000; // ms: a guard that nobody called off ends by itself
  let armed = null;

  // tell has the hub know at once: the document may not live to be asked.
  // What a mouse event says, the pointer event before it has said already.
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
      if (event.type === 'keyup' && !record.blocked) return; // of a key that went down in time
      record.events++;
      const by = record.blocked ? record.by : judge(event, !record.seen.length);
      if (!by) {
        if (told) told(record, event.type);
        if (record.seen.length < 100) record.seen.push(event.type);
        return;
      }
      // What the page itself brings about by its answer to the press is what a person would get too.
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

  // arm watches over an element of this document.
  hub.arm = (number, element, kind, place) => {
    const roots = hub.roots(element);
    const hidden = roots.some((root) => root instanceof ShadowRoot && root.mode === 'closed');
    const expanded = () => { const at = hub.closest(element, '[aria-expanded]'); return at ? at.getAttribute('aria-expanded') : ''; };
    const before = expanded();
    watch(number, kind, (event, first) => {
      const met = event.composedPath()[0];
      const over = first && hub.shielding() ? hub.test(element, event.clientX, event.clientY) : ''; // a frame that let the event pass
      if (over) return over;
      const found = met instanceof Element ? met : hub.element(met) || document.documentElement;
      if (hub.belongs(found, element, roots)) return '';
      if (hidden && found.shadowRoot === null && hub.test(element, event.clientX, event.clientY) === '') return '';
      return hub.describe(found);
    }, tell);
    armed.state = () => ({ connected: element.isConnected, opened: before !== expanded() });
    armed.over = () => (element.isConnected ? hub.test(element, place.x, place.y) : '');
  };

  // armOutside watches the document around a frame: no press may arrive in it at all. One on the frame's
  // own element has missed what is inside: right after a scroll the browser may not know yet that a
  // frame of another process is there. Moves across the frame's element are nothing unusual.
  hub.armOutside = (number, frame, kind, place) => {
    watch(number, kind, (event) => {
      const found = hub.element(event.composedPath()[0]);
      if (found === frame) armed.record.missed = true;
      return found === frame && kind === 'hover' ? '' : hub.describe(found || document.documentElement);
    });
    armed.over = () => (frame.isConnected ? hub.test(frame, place.x, place.y) : '');
  };

  // armKeys watches over an element that has the focus. Keys go to whatever has it when they come,
  // and the page may have moved it by then.
  hub.armKeys = (number, element) => {
    const hosts = hub.roots(element).filter((root) => root instanceof ShadowRoot && root.mode === 'closed').map((root) => root.host);
    watch(number, 'keys', (event) => {
      const path = event.composedPath();
      if (path.includes(element) || hosts.includes(path[0])) return '';
      return hub.describe(hub.element(path[0]) || document.documentElement);
    }, tell);
    armed.over = () => '';
  };

  // seen ends the guard and says what it saw. It comes after what the page put off to its next turn.
  hub.seen = async (_, number) => {
    const mine = () => armed && armed.record.number === number;
    // What lies there now is what has taken a press of which no event is seen.
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
