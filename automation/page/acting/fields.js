// What a form field is, and how its value is set and read back.
(hub) => {
  'use strict';

  const typed = new Set(['', 'text', 'url', 'tel', 'search', 'password', 'number', 'email']);
  const set = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
  const toggleRoles = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

  const prototypes = { INPUT: () => HTMLInputElement, TEXTAREA: () => HTMLTextAreaElement, SELECT: () => HTMLSelectElement };
  // Frameworks put an accessor of their own on the element to notice what was set; the
  // prototype's goes past it, so that the events afterwards are news to them.
  const assign = (element, property, value) =>
    Object.getOwnPropertyDescriptor(prototypes[element.nodeName]().prototype, property).set.call(element, value);

  const tell = (element) => {
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
  };
  hub.tell = tell;

  // begins tells the hub that what it asked for under a number is being done now.
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

  const shown = 20000; // characters of what a field holds before it is filled

  const fields = 'input:not([type=hidden]), textarea, select, [contenteditable]:not([contenteditable=false])';

  // fieldElement is what is to be filled: the control itself, the labelled one, the one field in a custom element
  // or a wrapper, or that of the editor which draws the element. It is null for a text that is not in an element any more.
  hub.fieldElement = (node) => {
    const given = hub.element(node);
    if (!given) return null;
    const element = hub.control(given);
    if (hub.kind(element) !== 'none' || element !== given) return element;
    const inner = (element.shadowRoot || element).querySelectorAll(fields);
    return inner.length === 1 ? inner[0] : (inner.length === 0 && hub.editorField(element)) || element;
  };

  // field says what is to be filled. If it is told what filling needs, it looks at the field, too.
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

  // focusable is the element that takes the focus: inside editable content it is the whole.
  const focusable = (node) => {
    let element = hub.fieldElement(node);
    while (element && element.isContentEditable && element.parentElement && element.parentElement.isContentEditable) element = element.parentElement;
    return element;
  };

  // focus gives an element the focus and says whether it has it.
  hub.focus = (node) => {
    const element = focusable(node);
    if (!element || !element.isConnected) return { state: 'detached' };
    const active = () => element.getRootNode().activeElement === element || element.contains(element.getRootNode().activeElement);
    // Each document of a page has an active element, but only one of them the focus. A body is active without it, too.
    if (element.getRootNode().activeElement !== element || !document.hasFocus()) element.focus({ preventScroll: true });
    if (!active()) element.focus(); // some pages move the focus away at its first arrival
    return { state: active() ? 'ready' : 'unfocusable', focus: document.hasFocus(), by: hub.describe(document.activeElement) };
  };

  // toKeys gives a field the focus, and arms the guard of that number there.
  hub.toKeys = (node, number) => {
    const focus = hub.focus(node), element = focusable(node);
    if (!element) return { state: 'detached' };
    if (focus.state === 'ready') hub.armKeys(number, element);
    return focus;
  };

  // selectAll marks all that a field holds besides, so that what is typed next takes its place. Editors hear of
  // a selection by an event that comes a little later.
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

  // toEnd puts the caret behind what a field holds, and arms the guard of that number.
  hub.toEnd = (node, number) => {
    const focus = hub.toKeys(node, number);
    if (focus.state !== 'ready') return focus;
    const element = hub.fieldElement(node);
    if (element.isContentEditable) getSelection().selectAllChildren(element), getSelection().collapseToEnd();
    else if (typeof element.selectionStart === 'number') element.setSelectionRange(element.value.length, element.value.length);
    return focus;
  };

  // set gives a value to a field that has no text to type: a date, a colour, a slider.
  // A value that the field doesn't take leaves the old one.
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

  // held gives at most so much of what a field holds; length is all of it. It comes after what the page put off to its
  // next two turns.
  hub.held = async (node, most) => {
    await new Promise((done) => setTimeout(() => setTimeout(done)));
    const element = hub.fieldElement(node);
    if (!element || !element.isConnected) return { state: 'detached' };
    const all = String(held(element, hub.kind(element)));
    return { state: 'ready', value: all.slice(0, most), length: all.length, valid: element.validity ? element.validity.valid : true, message: element.validationMessage || '' };
  };
}
