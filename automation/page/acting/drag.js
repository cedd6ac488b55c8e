// Watches whether the page lets a drag begin (the browser begins its own drag unless a listener prevents dragstart),
// and whether anything in the page changes afterwards.
(hub) => {
  'use strict';

  let stop = null;
  let last = { started: false, prevented: false, changed: false };
  let dragged = null;

  // beingDragged says whether an element is the dragged one or inside it. Such an element covers nothing.
  hub.beingDragged = (element) => !!dragged && dragged.contains(element);

  // passesDrag says whether, during a drag, the target lets the mouse pass to what is around it. Pages that follow the
  // mouse themselves do that, and still drop on the target.
  hub.passesDrag = (found, target, roots) =>
    !!dragged && getComputedStyle(target).pointerEvents === 'none' && hub.belongs(target, found, roots);

  hub.watchDrag = (node, selects) => {
    if (stop) stop();
    if (selects) getSelection().empty(); // else a press would drag selected text
    dragged = hub.element(node);
    const record = last = { started: false, prevented: false, changed: false };
    const changed = () => { record.changed = true; };
    const observer = new MutationObserver(changed);
    const observe = (root) => {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      for (const element of root.querySelectorAll('*')) if (element.shadowRoot) observe(element.shadowRoot);
      // The observer can't see changes in what these elements draw.
      if (root.querySelector('canvas,iframe,embed,object,video')) changed();
    };
    observe(document);
    const changes = ['input', 'change', 'scroll', 'drop'];
    for (const type of changes) addEventListener(type, changed, true);
    const listener = (event) => {
      if (!event.isTrusted) return;
      record.started = true;
      // A listener that prevents the event does so before the event's propagation ends.
      const end = () => { record.prevented = event.defaultPrevented; };
      queueMicrotask(end);
      setTimeout(end);
    };
    addEventListener('dragstart', listener, true);
    const timer = setTimeout(() => { changed(); if (stop) stop(); }, 30000); // nothing is known after that
    stop = () => {
      removeEventListener('dragstart', listener, true);
      for (const type of changes) removeEventListener(type, changed, true);
      observer.disconnect();
      clearTimeout(timer);
      stop = null;
    };
  };

  // dragState returns what has become of a drag so far, after one turn of the page's event loop.
  hub.dragState = async () => { await new Promise((done) => setTimeout(done)); return last; };

  // dragEnded does the same at a drag's end. If nothing has changed yet, it waits for the next frame, at most 100 ms.
  hub.dragEnded = async () => {
    await hub.dragState();
    if (!last.changed) await new Promise((done) => { setTimeout(done, 100); requestAnimationFrame(() => setTimeout(done)); });
    return last;
  };
  // cancelDrag keeps the release of the button, which ends a failed drag, from clicking the element that was grabbed.
  // The click comes in the same task as the release. Only a listener that the page added to the window before can see
  // it. If the release never comes, later clicks must still work: cancelDrag never stops a click by a key or a script
  // (detail is 0), and it ends at the next press or after a second.
  hub.cancelDrag = () => {
    const prevent = (event) => {
      if (!event.isTrusted || !event.detail) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const after = () => setTimeout(over);
    const over = () => {
      clearTimeout(timer);
      removeEventListener('click', prevent, true);
      removeEventListener('pointerdown', over, true);
      removeEventListener('pointerup', after, true);
    };
    const timer = setTimeout(over, 1000);
    addEventListener('click', prevent, true);
    addEventListener('pointerdown', over, true);
    addEventListener('pointerup', after, true);
  };
  hub.endDrag = () => { dragged = null; if (stop) stop(); if (unwatch) unwatch(); };

  let unwatch = null;
  let drop = { seen: false, by: '' };

  // watchDrop records which element a drop reaches: by is empty if that is the target, or is in or around it.
  hub.watchDrop = (node, anywhere) => {
    if (unwatch) unwatch();
    const target = anywhere ? document : hub.element(node);
    const record = drop = { seen: false, by: '' };
    const listener = (event) => {
      if (!event.isTrusted || record.seen) return;
      record.seen = true;
      const met = hub.element(event.composedPath()[0]);
      if (!event.composedPath().includes(target) && !(met && met.contains(target))) record.by = met ? hub.describe(met) : 'the page';
    };
    addEventListener('drop', listener, true);
    const timer = setTimeout(() => unwatch && unwatch(), 30000);
    unwatch = () => { removeEventListener('drop', listener, true); clearTimeout(timer); unwatch = null; };
  };

  // selected returns the selected text, after one turn of the page's event loop.
  hub.selected = async () => {
    await new Promise((done) => setTimeout(done));
    return getSelection().toString().replace(/\s+/g, ' ').trim();
  };

  // dropState returns what has become of a drop, after one turn of the page's event loop.
  hub.dropState = async () => {
    await new Promise((done) => setTimeout(done));
    if (unwatch) unwatch();
    return drop;
  };
}
