// Timers for a hidden page: Chrome may run an offscreen document's own timers only once a minute, but not a worker's.

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
