// Tells which kind of form field an element is, sets the field's value and reads it back.
(hub) => {
  'use strict';

  const typed = new Set(['', 'text', 'url', 'tel', 'search', 'password', 'number', 'email']);
  const set = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
  const toggleRoles = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

  const prototypes = { INPUT: () => HTMLInputElement, TEXTAREA: () => HTMLTextAreaElement, SELECT: () => HTMLSelectElement };
  // Frameworks define an accessor on the element itself to notice assignments. assign calls the prototype's accessor
  // instead, so that frameworks react to the events that follow.
  const assign = (element, property, value) =>
    Object.getOwnPropertyDescriptor(prototypes[element.nodeName]().prototype, property).set.call(element, value);

  const tell = (element) => {
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
  };
  hub.tell = tell;

  // begins tells the hub that the page now starts what the hub asked for under this number.
  hub.begins = (number) => { if (globalThis.__webmcpHubSaw) __webmcpHubSaw(`${number} begins`); };

  const toggled = (element) => {
    if (element.nodeName === 'INPUT') return element.indeterminate ? 'mixed' : String(element.checked);
    const said = element.getAttribute('aria-checked');
    return said === 'mixed' ? 'mixed' : String(said === 'true');
  };

  hub.kind = (element) => {
    const role = (element.getAttribute('role') || '').trim().toLowerCase();
    if (element.nodeName === 'SELECT') return 'select';
    if (element.nodeName === 'TEXTAREA') return 'text';
    if (element.nodeName === 'INPUT') {
      const type = element.type;
      if (type === 'checkbox' || type === 'radio') return 'toggle';
      if (type === 'file') return 'file';
      if (set.has(type)) return 'set';
      return typed.has(type) ? 'text' : 'none';
    }
    if (element.isContentEditable || element.editContext) return 'editable';
    return toggleRoles.has(role) ? 'toggle' : 'none';
  };

  const held = (element, kind) => {
    switch (kind) {
      case 'toggle': return toggled(element);
      case 'select': return hub.chosen(element).map((option) => option.label).join(', ');
      case 'editable': return element.innerText;
      case 'file': return [...element.files].map((file) => file.name).join(', ');
      case 'none': return '';
      default: return element.value;
    }
  };

  const shown = 20000; // characters of a field's old value, at most

  const fields = 'input:not([type=hidden]), textarea, select, [contenteditable]:not([contenteditable=false])';

  // fieldElement returns the element to fill: the control itself, a label's control, the only field in a custom element
  // or a wrapper, or the field of the editor that draws the element. It returns null for a text without an element.
  hub.fieldElement = (node) => {
    const given = hub.element(node);
    if (!given) return null;
    const element = hub.control(given);
    if (hub.kind(element) !== 'none' || element !== given) return element;
    const inner = (element.shadowRoot || element).querySelectorAll(fields);
    return inner.length === 1 ? inner[0] : (inner.length === 0 && hub.editorField(element)) || element;
  };

  // field describes the field to fill. If needs says what filling needs, it looks at the field, too.
  hub.field = async (node, needs) => {
    const given = hub.element(node);
    if (!given || !given.isConnected) return { state: 'detached' };
    const element = hub.fieldElement(node), kind = hub.kind(element);
    const input = element.nodeName === 'INPUT';
    return {
      state: 'ready', kind, type: input ? element.type : element.nodeName.toLowerCase(), value: String(held(element, kind)).slice(0, shown),
      multiple: !!element.multiple, radio: input ? element.type === 'radio' : /radio/.test(element.getAttribute('role') || ''),
      look: needs && await hub.look(node, { needs: kind === 'select' ? ['enabled'] : needs, field: true }), secret: input && element.type === 'password', length: String(held(element, kind)).length, arrows: /^\s*(slider|spinbutton)\s*$/i.test(element.getAttribute('role') || ''), what: hub.describe(element), drawn: !!hub.surface(element),
    };
  };

  // focusable returns the element that takes the focus: inside editable content, the outermost editable element.
  const focusable = (node) => {
    let element = hub.fieldElement(node);
    while (element && element.isContentEditable && element.parentElement && element.parentElement.isContentEditable) element = element.parentElement;
    return element;
  };

  // focus gives an element the focus and says whether the element has it.
  hub.focus = (node) => {
    const element = focusable(node);
    if (!element || !element.isConnected) return { state: 'detached' };
    const active = () => element.getRootNode().activeElement === element || element.contains(element.getRootNode().activeElement);
    // Each document of a page has an active element, but only one has the focus. A body is active even without it.
    if (element.getRootNode().activeElement !== element || !document.hasFocus()) element.focus({ preventScroll: true });
    if (!active()) element.focus(); // some pages move the focus away the first time
    return { state: active() ? 'ready' : 'unfocusable', focus: document.hasFocus(), by: hub.describe(document.activeElement) };
  };

  // toKeys gives a field the focus, and arms the guard with this number on it.
  hub.toKeys = (node, number) => {
    const focus = hub.focus(node), element = focusable(node);
    if (!element) return { state: 'detached' };
    if (focus.state === 'ready') hub.armKeys(number, element);
    return focus;
  };

  // selectAll calls toKeys and selects all that a field holds, so that typed text replaces it. An editor learns of the
  // selection from an event that comes a little later: selectAll waits for it, but at most 100 ms.
  hub.selectAll = async (node, number) => {
    const focus = hub.toKeys(node, number);
    if (focus.state !== 'ready') return focus;
    const element = hub.fieldElement(node);
    if (element.nodeName === 'INPUT' || element.nodeName === 'TEXTAREA') { element.select(); return focus; }
    const told = new Promise((done) => {
      const timer = setTimeout(done, 100);
      document.addEventListener('selectionchange', () => { clearTimeout(timer); setTimeout(done); }, { once: true });
    });
    const selection = getSelection(), before = selection.rangeCount ? selection.getRangeAt(0).cloneRange() : null;
    selection.selectAllChildren(element);
    const now = selection.rangeCount ? selection.getRangeAt(0) : null;
    const same = before && now && ['startContainer', 'startOffset', 'endContainer', 'endOffset'].every((each) => before[each] === now[each]);
    if (!same) await told;
    return focus;
  };

  // toEnd gives a field the focus, arms the guard with this number, and puts the caret behind what the field holds.
  hub.toEnd = (node, number) => {
    const focus = hub.toKeys(node, number);
    if (focus.state !== 'ready') return focus;
    const element = hub.fieldElement(node);
    if (element.isContentEditable) getSelection().selectAllChildren(element), getSelection().collapseToEnd();
    else if (typeof element.selectionStart === 'number') element.setSelectionRange(element.value.length, element.value.length);
    return focus;
  };

  // set assigns a value to a field into which nobody types text: a date, a colour, a slider. If the field doesn't take
  // the value, set restores the old one.
  hub.set = (node, value, number) => {
    const element = hub.fieldElement(node);
    if (!element || !element.isConnected) return { state: 'detached' };
    value = value.trim();
    if (element.type === 'color') value = value.toLowerCase();
    const before = element.value;
    hub.begins(number);
    if (document.activeElement !== element) element.focus({ preventScroll: true });
    assign(element, 'value', value);
    const same = element.value === value || (element.type === 'range' && value !== '' && Number(element.value) === Number(value)) ||
      (/time/.test(element.type) && value !== '' && element.value !== '' && element.value.startsWith(value));
    if (!same) {
      const became = element.value;
      assign(element, 'value', before);
      return { state: 'malformed', value: before, became, min: element.min, max: element.max, step: element.step };
    }
    tell(element);
    return { state: 'ready', value: element.value };
  };

  // held returns at most `most` characters of what a field holds, and the length of all of it. First, it waits for two
  // turns of the page's event loop, because pages put off work until then.
  hub.held = async (node, most) => {
    await new Promise((done) => setTimeout(() => setTimeout(done)));
    const element = hub.fieldElement(node);
    if (!element || !element.isConnected) return { state: 'detached' };
    const all = String(held(element, hub.kind(element)));
    return { state: 'ready', value: all.slice(0, most), length: all.length, valid: element.validity ? element.validity.valid : true, message: element.validationMessage || '' };
  };
}
