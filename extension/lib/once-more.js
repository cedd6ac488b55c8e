// Reads something that changes: runs one reading at a time for each key, and one more if a request came meanwhile.

/** Returns ask(key), which resolves with the result of a read(key) that began after the call of ask. */
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
