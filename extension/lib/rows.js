// A list of rows that is one stop of the Tab key; the arrow keys, Home and End move within it.

/** Returns {keep(change)}. It calls change, and keeps the focus and the Tab key's stop on the row with the same data-key. */
export function moveAmong(list) {
  const all = () => [...list.querySelectorAll(".row")];
  let at = 0; // the index of the row that the Tab key reaches
  const reach = (i, rows = all()) => {
    at = Math.max(0, Math.min(i, rows.length - 1));
    rows.forEach((row, i) => (row.tabIndex = i === at ? 0 : -1));
    return rows[at];
  };
  list.addEventListener("focusin", (e) => {
    const i = all().indexOf(e.target);
    if (i >= 0) reach(i);
  });
  list.addEventListener("keydown", (e) => {
    const rows = all();
    const now = rows.indexOf(e.target);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + 10, PageUp: now - 10, Home: 0, End: rows.length - 1 }[e.key];
    if (now < 0 || to === undefined) return;
    e.preventDefault();
    reach(to, rows)?.focus();
  });
  return {
    keep(change) {
      const before = all()[at];
      const focused = before !== undefined && before === document.activeElement;
      change();
      const rows = all();
      const same = before ? rows.findIndex((row) => row.dataset.key === before.dataset.key) : -1;
      const row = reach(same >= 0 ? same : at, rows);
      if (focused) row?.focus({ preventScroll: true });
    },
  };
}
