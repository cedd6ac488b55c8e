// Checks those states of an element on which actions depend.
(hub) => {
  'use strict';

  const hasArea = (rect) => rect.width > 0 && rect.height > 0;

  // drawn returns the element that shows this one: an area's image, or else the element itself.
  hub.drawn = (element) => {
    if (element.nodeName !== 'AREA') return element;
    const map = Element.prototype.closest.call(element, 'map')?.name.replace(/^#/, '');
    const images = [...element.getRootNode().querySelectorAll('img[usemap]')].filter((image) => map && image.useMap.replace(/^.*?#/, '') === map);
    return images.find((image) => image.offsetWidth) || images[0] || element;
  };

  // box returns the box around an element: for an area, around its part of the image.
  hub.box = (element) => {
    const image = hub.drawn(element);
    const whole = image.getBoundingClientRect();
    if (image === element) return whole;
    const style = getComputedStyle(image);
    const inset = (side) => parseFloat(style[`padding${side}`]) + parseFloat(style[`border${side}Width`]);
    const wide = whole.width / image.offsetWidth, high = whole.height / image.offsetHeight; // by transforms
    const circle = /^circ/i.test(element.shape), poly = /^poly/i.test(element.shape);
    let of = element.coords.split(/[\s,;]+/).map(parseFloat).slice(0, poly ? 1000 : circle ? 3 : 4);
    if (/^default$/i.test(element.shape)) of = [0, 0, image.width, image.height];
    if (circle) of = [of[0] - of[2], of[1] - of[2], of[0] + of[2], of[1] + of[2]];
    if (of.length < 4 || !of.every(Number.isFinite)) return new DOMRect(); // Chrome ignores such an area, too
    const xs = of.filter((_, i) => i % 2 === 0), ys = of.filter((_, i) => i % 2 === 1);
    const left = Math.min(...xs), top = Math.min(...ys);
    return new DOMRect(whole.left + (inset('Left') + left) * wide, whole.top + (inset('Top') + top) * high, (Math.max(...xs) - left) * wide, (Math.max(...ys) - top) * high);
  };

  // rects returns the boxes in which the browser draws an element, or its content's if the element has none itself.
  hub.rects = (element) => {
    if (hub.drawn(element) !== element) return [hub.box(element)];
    if (getComputedStyle(element).display !== 'contents') return [...element.getClientRects()];
    const range = document.createRange();
    range.selectNodeContents(element);
    return [...range.getClientRects()];
  };

  hub.visible = (given) => {
    const element = hub.drawn(given);
    const style = getComputedStyle(element);
    if (style.display === 'contents') {
      if (!element.parentElement || element.checkVisibility === undefined) return false;
      for (const child of element.childNodes) {
        if (child.nodeType === Node.ELEMENT_NODE && hub.visible(child)) return true;
        if (child.nodeType !== Node.TEXT_NODE) continue;
        const range = document.createRange();
        range.selectNode(child);
        if (hasArea(range.getBoundingClientRect()) && style.visibility === 'visible') return true;
      }
      return false;
    }
    return element.checkVisibility({ visibilityProperty: true }) && hasArea(element.getBoundingClientRect());
  };

  // ariaDisabled says whether the nearest aria-disabled, on the element or around it, is true. On the element itself,
  // true counts only if the element has a role or is a control.
  const ariaDisabled = (element) => {
    for (let at = element; at; at = hub.parent(at)) {
      const said = at.getAttribute('aria-disabled');
      if (said === 'false') return false;
      if (said === 'true' && (at !== element || at.hasAttribute('role') || at.matches('a, button, input, select, textarea, option, optgroup, fieldset, summary'))) return true;
    }
    return false;
  };

  // disabled returns what disables an element; '' if nothing does.
  hub.disabled = (element) => {
    const control = hub.control(element);
    if (control.matches(':disabled')) {
      if (control.hasAttribute('disabled')) return 'disabled';
      return control.closest('fieldset[disabled]') ? 'disabled by its fieldset' : 'disabled by its group';
    }
    return ariaDisabled(control) ? 'aria-disabled' : '';
  };

  hub.readOnly = (element) => {
    const control = hub.control(element);
    if (control.matches('input, textarea') && control.readOnly) return 'read-only';
    const said = control.closest('[aria-readonly]');
    return said === control && said.getAttribute('aria-readonly') === 'true' ? 'aria-readonly' : '';
  };

  // frame waits for the next animation frame. It returns false if none has come in `most` ms: some pages aren't drawn.
  hub.frame = (most) => new Promise((done) => {
    const timer = setTimeout(() => done(false), most);
    requestAnimationFrame(() => { clearTimeout(timer); done(true); });
  });

  const animations = (element) => hub.roots(element).flatMap((root) => (root.getAnimations ? root.getAnimations() : [])).filter((each) => each.playState === 'running');
  const moving = (element) => animations(element).length > 0;

  // begun waits until pending animations have begun. In a new page they stand still, even through the page's animation
  // frames, until the browser has drawn the page.
  const begun = (element, most) => {
    const pending = animations(element).filter((each) => each.pending);
    if (!pending.length) return null;
    return Promise.race([Promise.allSettled(pending.map((each) => each.ready)), new Promise((done) => setTimeout(done, most))]);
  };

  // Where each element was at its last look, and when that was (ms).
  const known = new WeakMap();
  const frameTime = 17;

  // atRest returns, as state, whether an element stays where it is for an animation frame ('' if it does), and, as
  // frames, whether there was one. It needs no frame for an element that is where it was at the last look. Between two
  // frames, positions already are as the next frame will show them, so while animations run, atRest takes one frame
  // more. Without frames, animations stand still and look like rest, so atRest gives a busy machine longer to draw if
  // there are animations. Such a machine's frames may come late, each for a time that is past: animations move only
  // once the document's time goes on.
  hub.atRest = async (element, limit) => {
    await begun(element, 4 * limit);
    const before = element.getBoundingClientRect();
    const last = known.get(element);
    known.set(element, { rect: before, at: performance.now() });
    if (last && performance.now() - last.at >= frameTime && hub.sameRect(last.rect, before) && !moving(element)) return { state: '', frames: true };
    const time = document.timeline.currentTime;
    const most = moving(element) ? 4 * limit : limit;
    let frames = await hub.frame(most);
    const same = () => element.isConnected && hub.sameRect(before, element.getBoundingClientRect());
    if (frames && same() && moving(element)) frames = await hub.frame(most);
    const end = performance.now() + most;
    while (frames && same() && moving(element) && document.timeline.currentTime === time && performance.now() < end) frames = await hub.frame(most);
    return { state: !element.isConnected ? 'detached' : same() ? '' : 'moving', frames };
  };

  hub.sameRect = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
