// A reading of something that changes: at most one at a time for each key, and once more if a change came meanwhile.

/** Returns ask(key): a promise of a reading by read(key) that began after ask was called. */
export function onceMore(read) {
  const running = new Map(); // key -> {now, next}
  const run = (key) => {
    const entry = { now: undefined, next: undefined };
    running.set(key, entry);
    entry.now = Promise.resolve().then(() => {
      entry.begun = true;
      return read(key);
    }).finally(() => running.get(key) === entry && running.delete(key));
    return entry.now;
  };
  return function ask(key) {
    const entry = running.get(key);
    if (!entry) return run(key);
    if (!entry.begun) return entry.now;
    return (entry.next ??= entry.now.catch(() => {}).then(() => run(key)));
  };
}
