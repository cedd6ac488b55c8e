// A timer that Chrome doesn't throttle. In a tab behind another one, a page's setTimeout runs once a second, after some minutes
// once a minute. Chrome doesn't throttle the timeout of Atomics.waitAsync, which no script ends earlier here.
webmcpHub.parts.after = () => {
  let never;
  // Pages' worlds have no global SharedArrayBuffer, so this takes it from a shared memory, which no permissions policy forbids.
  const cell = () => (never ??= new Int32Array(new (new WebAssembly.Memory({ initial: 0, maximum: 0, shared: true }).buffer.constructor)(4)));

  /**
   * Calls f once, after ms.
   * @param {number} ms
   * @param {() => void} f
   * @returns {() => void} cancels the timer
   */
  return (ms, f) => {
    let over = false;
    const end = () => {
      if (!over) off(), f();
    };
    const timer = setTimeout(end, ms);
    const off = () => {
      over = true;
      clearTimeout(timer);
    };
    try {
      if (document.hidden && ms > 0) Atomics.waitAsync(cell(), 0, 0, ms).value.then(end);
    } catch {} // then only the page's timer
    return off;
  };
};
