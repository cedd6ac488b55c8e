// Whether the page lets a drag begin (a browser's own drag begins with a dragstart that nobody prevents), and whether
// anything of the page changes from then on.
(hub) => {
  'use strict';

  let stop = null;
  let last = { started: false, prevented: false, changed: false };
  let dragged = null;

  // beingDragged says whether an element is the one that is being dragged, or in it: that covers nothing.
  hub.beingDragged = (element) => !!dragged && dragged.contains(element);

  // passesDrag says whether a target lets the mouse pass to what is around it while something is dragged: pages that
  // follow the mouse themselves do so, and drop there all the same.
  hub.passesDrag = (found, target, roots) =>
    !!dragged && getComputedStyle(target).pointerEvents === 'none' && hub.belongs(target, found, roots);

  hub.watchDrag = (node, selects) => {
    if (stop) stop();
    if (selects) getSelection().empty(); // a press on selected text would drag that
    dragged = hub.element(node);
    const record = last = { started: false, prevented: false, changed: false };
    const changed = () => { record.changed = true; };
    const observer = new MutationObserver(changed);
    const observe = (root) => {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      for (const element of root.querySelectorAll('*')) if (element.shadowRoot) observe(element.shadowRoot);
      // What is drawn in these can't be seen to change.
      if (root.querySelector('canvas,iframe,embed,object,video')) changed();
    };
    observe(document);
    const changes = ['input', 'change', 'scroll', 'drop'];
    for (const type of changes) addEventListener(type, changed, true);
    const listener = (event) => {
      if (!event.isTrusted) return;
      record.started = true;
      // Who prevents it does so before its way up has ended.
      const end = () => { record.prevented = event.defaultPrevented; };
      queueMicrotask(end);
      setTimeout(end);
    };
    addEventListener('dragstart', listener, true);
    const timer = setTimeout(() => { changed(); if (stop) stop(); }, 30000); // from then on nothing is known
    stop = () => {
      removeEventListener('dragstart', listener, true);
      for (const type of changes) removeEventListener(type, changed, true);
      observer.disconnect();
      clearTimeout(timer);
      stop = null;
    };
  };

  // dragState says what became of a drag so far, after the page's next turn.
  hub.dragState = async () => { await new Promise((done) => setTimeout(done)); return last; };

  // dragEnded does the same at the end. If nothing has changed yet, it waits for the page's next frame, if one comes.
  hub.dragEnded = async () => {
    await hub.dragState();
    if (!last.changed) await new Promise((done) => { setTimeout(done, 100); requestAnimationFrame(() => setTimeout(done)); });
    return last;
  };
  // cancelDrag keeps the release of the button, which ends a drag that failed, from clicking what was grabbed. Only a
  // listener of the page's that was on the window before may see the click, which comes in the same task as the release.
  // If the release never comes, that must not cost a later click: by a key or a script (detail is 0), by another press,
  // or after a second.
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

  // watchDrop watches where a drop comes to: by is empty if that is the target, or in it.
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

  // selected are the words that are selected, after the page's next turn.
  hub.selected = async () => {
    await new Promise((done) => setTimeout(done));
    return getSelection().toString().replace(/\s+/g, ' ').trim();
  };

  // dropState says what became of a drop, after the page's next turn.
  hub.dropState = async () => {
    await new Promise((done) => setTimeout(done));
    if (unwatch) unwatch();
    return drop;
  };
}
