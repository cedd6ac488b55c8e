// Shields keep frames of other documents from getting what is meant for an element of this one.
(hub) => {
  'use strict';

  const longest = 15000; // ms: shields that nobody took away go by themselves
  const shields = new Map(); // by iframe
  let timer = 0;

  // Style beats what the page's stylesheets and animations say. The rest of it is the page's, which
  // may go on to change it.
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

  // shield has the mouse pass through an iframe to what lies beneath it, where the guard meets it,
  // until unshield is called with this number or a later one. o.must says that the iframe is one
  // in which nothing may ever arrive.
  hub.shield = (frame, o) => {
    const is = shields.get(frame);
    if (is) Object.assign(is, o);
    else rise(frame, { ...o, was: raise(frame) });
  };

  // shieldKeys has the focus and keys pass by an iframe. The focus must not be there.
  hub.shieldKeys = (frame, number) => {
    if (frame.hasAttribute('inert')) return;
    rise(frame, { number, key: true });
    frame.setAttribute('inert', '');
  };

  hub.unshield = (number) => {
    for (const [frame, shield] of shields) if (shield.number <= number) drop(frame);
  };

  // bared does something as if no iframe was shielded from the mouse, at once.
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

  // shieldsDrawn waits until the browser goes by the shields. The browser finds who gets an event by the last frame that
  // was drawn, which is two behind the page's, and more on a busy machine. Late frames of the page are one sign of that,
  // but not a sure one: beside an iframe that must get no events, six frames are always waited for.
  hub.shieldsDrawn = async (limit) => {
    const begun = performance.now();
    let most = [...shields.values()].some((shield) => shield.must) ? 6 : 2;
    for (let n = 1; n <= most; n++) {
      if (!await hub.frame(limit)) return false;
      if (n === 2 && performance.now() - begun > 50) most = 6;
    }
    return true;
  };

  // unshielded describes an iframe in which nothing may arrive, and whose page has taken its shield
  // away; '' if there is none.
  hub.unshielded = () => {
    for (const [frame, { must, was }] of shields)
      if (must && was && frame.isConnected && getComputedStyle(frame).pointerEvents !== 'none') return hub.describe(frame);
    return '';
  };
}
