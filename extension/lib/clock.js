// Timers that a hidden page keeps: an offscreen document's own may be held back to one a minute, a worker's are not.

/** Returns {setTimeout, clearTimeout} that run in a worker, and now() in ms. */
export function workerTimers(worker) {
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({ data: id }) => {
    const f = waiting.get(id);
    waiting.delete(id);
    f?.();
  };
  return {
    setTimeout(f, ms) {
      waiting.set(++last, f);
      worker.postMessage({ id: last, ms });
      return last;
    },
    clearTimeout: (id) => void waiting.delete(id),
    now: () => performance.now(),
  };
}
