// A timer that Chrome doesn't hold back. In a tab behind another one a page's setTimeout runs once a second, and after some minutes
// once a minute; the engine's own time limit of a wait for shared memory, which nobody ever wakes here, keeps its time.
webmcpHub.parts.after = () => {
  let never;
  // The pages' worlds have no SharedArrayBuffer of that name. Needs no permission of a page's policy.
  const cell = () => (never ??= new Int32Array(new (new WebAssembly.Memory({ initial: 0, maximum: 0, shared: true }).buffer.constructor)(4)));

  /**
   * Calls f once, after ms.
   * @param {number} ms
   * @param {() => void} f
   * @returns {() => void} calls it off
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
    } catch {} // then by the page's timer alone
    return off;
  };
};
