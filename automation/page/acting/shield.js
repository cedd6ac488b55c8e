// A shield keeps an iframe from getting input that is meant for an element of this document.
(hub) => {
  'use strict';

  const longest = 15000; // ms after which shields end by themselves
  const shields = new Map(); // by iframe
  let timer = 0;

  // An important inline style overrides the page's stylesheets and animations. set leaves the other properties to the
  // page, which may go on changing them.
  const set = (frame, name, value) => {
    const was = [frame.style.getPropertyValue(name), frame.style.getPropertyPriority(name)];
    frame.style.setProperty(name, value, 'important');
    return was;
  };
  const reset = (frame, name, value, [was, priority]) => {
    if (frame.style.getPropertyValue(name) !== value) return; // the page's own
    if (was) frame.style.setProperty(name, was, priority);
    else frame.style.removeProperty(name);
  };
  const raise = (frame) => {
    const bare = !frame.hasAttribute('style');
    return { bare, slow: set(frame, 'transition', 'none'), events: set(frame, 'pointer-events', 'none') };
  };
  const lower = (frame, was) => {
    reset(frame, 'pointer-events', 'none', was.events);
    reset(frame, 'transition', 'none', was.slow);
    if (was.bare && frame.getAttribute('style') === '') frame.removeAttribute('style');
  };

  const drop = (frame) => {
    const { was, key } = shields.get(frame);
    shields.delete(frame);
    if (was) lower(frame, was);
    if (key) frame.removeAttribute('inert');
    if (!shields.size) clearTimeout(timer);
  };
  const rise = (frame, shield) => {
    shields.set(frame, shield);
    clearTimeout(timer);
    timer = setTimeout(() => [...shields.keys()].forEach(drop), longest);
  };

  // shield makes the mouse pass through an iframe to what lies beneath it, where the guard sees the events. It does so
  // until unshield is called with this number or a later one. o.must says that no event may ever arrive in the iframe.
  hub.shield = (frame, o) => {
    const is = shields.get(frame);
    if (is) Object.assign(is, o);
    else rise(frame, { ...o, was: raise(frame) });
  };

  // shieldKeys keeps the focus and keys out of an iframe. The focus must not be in the iframe.
  hub.shieldKeys = (frame, number) => {
    if (frame.hasAttribute('inert')) return;
    rise(frame, { number, key: true });
    frame.setAttribute('inert', '');
  };

  hub.unshield = (number) => {
    for (const [frame, shield] of shields) if (shield.number <= number) drop(frame);
  };

  // bared calls f, and during this call no iframe is shielded from the mouse. f must be synchronous.
  hub.bared = (f) => {
    const all = [...shields].filter(([, shield]) => shield.was);
    for (const [frame, { was }] of all) reset(frame, 'pointer-events', 'none', was.events);
    try {
      return f();
    } finally {
      for (const [frame, { was }] of all) was.events = set(frame, 'pointer-events', 'none');
    }
  };

  hub.shielding = () => shields.size > 0;

  // shieldsDrawn waits until shields work. The browser decides by the last frame that it drew which element gets an
  // event. That frame is two behind the page's, and more on a busy machine. Late animation frames are one sign of that,
  // but not a sure one: so beside an iframe that must get no events, shieldsDrawn always waits for six of them.
  hub.shieldsDrawn = async (limit) => {
    const begun = performance.now();
    let most = [...shields.values()].some((shield) => shield.must) ? 6 : 2;
    for (let n = 1; n <= most; n++) {
      if (!await hub.frame(limit)) return false;
      if (n === 2 && performance.now() - begun > 50) most = 6;
    }
    return true;
  };

  // unshielded describes an iframe in which no event may arrive but whose shield the page has removed; '' if none is.
  hub.unshielded = () => {
    for (const [frame, { must, was }] of shields)
      if (must && was && frame.isConnected && getComputedStyle(frame).pointerEvents !== 'none') return hub.describe(frame);
    return '';
  };
}
