// Whether the page lets a drag begin: a browser's own drag begins with a dragstart that nobody prevents.
(hub) => {
  'use strict';

  let stop = null;
  let last = { started: false, prevented: false };

  hub.watchDrag = () => {
    if (stop) stop();
    const record = last = { started: false, prevented: false };
    const listener = (event) => {
      if (!event.isTrusted) return;
      record.started = true;
      // Who prevents it does so before its way up has ended.
      const end = () => { record.prevented = event.defaultPrevented; };
      queueMicrotask(end);
      setTimeout(end);
    };
    addEventListener('dragstart', listener, true);
    const timer = setTimeout(() => stop && stop(), 30000);
    stop = () => { removeEventListener('dragstart', listener, true); clearTimeout(timer); stop = null; };
  };

  // drag says what became of a drag so far, after the page's next turn.
  hub.dragState = async () => { await new Promise((done) => setTimeout(done)); return last; };
  hub.endDrag = () => { if (stop) stop(); };
}
