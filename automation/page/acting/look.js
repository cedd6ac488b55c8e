// Looks at an element before an action, all in one call of the hub: checks the element's states, scrolls to it, waits
// until it rests, finds a place to press and what lies there, and arms the guard.
(hub) => {
  'use strict';

  const scrolls = {
    nearest: { block: 'nearest', inline: 'nearest' },
    end: { block: 'end', inline: 'end' },
    center: { block: 'center', inline: 'center' },
    start: { block: 'start', inline: 'start' },
  };

  const facts = (frames) => ({ width: innerWidth, height: innerHeight, frames, hidden: document.visibilityState === 'hidden' });

  const lacks = (element, needs) => {
    if (!element.isConnected) return { state: 'detached' };
    if (needs.includes('visible') && !hub.visible(element)) return { state: 'hidden' };
    const off = needs.includes('enabled') && hub.disabled(element);
    if (off) return { state: 'disabled', by: off };
    const fixed = needs.includes('editable') && hub.readOnly(element);
    if (fixed) return { state: 'readonly', by: fixed };
    return null;
  };

  // look returns { state, by, x, y, width, height, frames, hidden }. o.needs lists the states wanted. o.scroll says how
  // to scroll ('' means only if necessary). o.aim asks for a place to press, o.more permits unusual places, and o.place
  // describes one certain place. o.field means the field that the node stands for. o.guard is the number of the guard
  // to arm, and o.guards says which events it watches.
  hub.look = async (node, o) => {
    const given = o.field ? hub.fieldElement(node) : hub.element(node);
    if (!given || !given.isConnected) return { state: 'detached' };
    const element = o.aim ? hub.through(given) : given;
    const label = element !== given && element.nodeName === 'LABEL';
    let lack = lacks(element, o.needs);
    if (lack) return { ...lack, ...facts(true) };

    const drawn = o.aim && hub.shielding() ? hub.shieldsDrawn(o.frameLimit || 500) : null;
    const find = (scroll) => (o.place ? hub.place(element, o.place, scroll) : hub.aim(element, o.more, scroll));
    let place = o.aim && !o.scroll ? find() : null;
    if (place && place.state) return { ...place, ...facts(true) };
    if (o.aim && (o.scroll || !place || place.by)) hub.drawn(element).scrollIntoView({ behavior: 'instant', ...scrolls[o.scroll || 'center'] });
    else if (o.aim && window !== top) hub.drawn(element).scrollIntoView({ behavior: 'instant', ...scrolls.nearest });

    let frames = true;
    if (o.needs.includes('stable')) {
      const rest = await hub.atRest(hub.drawn(element), o.frameLimit || 500);
      frames = rest.frames;
      if (rest.state) return { state: rest.state, ...facts(frames) };
      lack = lacks(element, o.needs);
      if (lack) return { ...lack, ...facts(frames) };
    }
    if (!o.aim) return { state: 'ready', ...facts(frames) };
    if (drawn) {
      frames = (await drawn) && frames;
      if (!element.isConnected) return { state: 'detached' };
    }

    place = find(true);
    if (!place) return { state: 'offscreen', ...facts(frames) };
    if (place.state) return { ...place, ...facts(frames) };
    if (place.by && o.needs.includes('uncovered')) return { state: 'covered', by: place.by, ...facts(frames) };
    const open = hub.unshielded();
    if (open) return { state: 'covered', by: open, ...facts(frames) };
    if (o.guard) hub.arm(o.guard, label ? given : hub.pressed(element), o.guards, place);
    return { state: 'ready', x: place.x, y: place.y, through: label ? hub.describe(element) : '', ...facts(frames) };
  };

  // lookAt looks from the document around an iframe: does a press at this point of that document meet the iframe?
  hub.lookAt = (frame, o) => {
    if (!frame.isConnected) return { state: 'detached' };
    if (o.x < 0 || o.y < 0 || o.x >= innerWidth || o.y >= innerHeight) return { state: 'offscreen', ...facts(true) };
    const by = (o.needs.includes('uncovered') && hub.test(frame, o.x, o.y)) || hub.unshielded();
    if (by) return { state: 'covered', by, ...facts(true) };
    if (o.guard) hub.armOutside(o.guard, frame, o.guards, o);
    return { state: 'ready', ...facts(true) };
  };

  // rest waits until an iframe stays where it is for one animation frame.
  hub.rest = async (frame, o) => {
    if (!frame.isConnected) return { state: 'detached' };
    if (!hub.visible(frame)) return { state: 'hidden', ...facts(true) };
    const drawn = hub.shielding() ? hub.shieldsDrawn(o.frameLimit || 500) : null;
    const { state, frames } = await hub.atRest(frame, o.frameLimit || 500);
    if (state) return { state, ...facts(frames) };
    if (drawn) await drawn;
    return { state: 'ready', ...facts(frames) };
  };
}
