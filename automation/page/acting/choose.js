// Chooses options of a native select without opening its list.
(hub) => {
  'use strict';

  const plain = (text) => text.trim().replace(/\s+/g, ' ');

  hub.chosen = (select) => [...select.options].filter((option) => option.selected);

  // find returns the option that a word means. It compares the word with values, then with labels, then with labels
  // whose white space is normalized, and then ignores case, too.
  const find = (select, word) => {
    const options = [...select.options];
    for (const means of [
      (option) => option.value === word,
      (option) => option.label === word,
      (option) => plain(option.label) === plain(word),
      (option) => plain(option.label).toLowerCase() === plain(word).toLowerCase(),
    ]) {
      const found = options.filter(means);
      if (found.length) return found.find((option) => !option.disabled) || found[0];
    }
    return null;
  };

  const off = (option) => option.disabled || (option.parentElement.nodeName === 'OPTGROUP' && option.parentElement.disabled);

  const list = (select) => [...select.options].slice(0, 50).map((option) => option.label + (off(option) ? ' (disabled)' : ''));

  // choose selects exactly the options that the words mean. If a word is unknown, it changes nothing. It tells the hub
  // the number when the change begins, because a dialog that opens earlier has another cause.
  hub.choose = (node, words, number) => {
    const select = hub.fieldElement(node);
    if (!select || !select.isConnected) return { state: 'detached' };
    if (select.nodeName !== 'SELECT') return { state: 'noselect', by: hub.describe(select) };
    if (words.length > 1 && !select.multiple) return { state: 'single', by: hub.describe(select) };
    const wanted = [];
    for (const word of words) {
      const option = find(select, word);
      if (!option) return { state: 'unknown', word, options: list(select), count: select.options.length };
      if (off(option)) return { state: 'optionoff', word: option.label, options: list(select), count: select.options.length };
      wanted.push(option);
    }
    hub.begins(number);
    select.focus({ preventScroll: true });
    if (!select.multiple && !wanted.length) select.selectedIndex = -1;
    for (const option of select.options) {
      const selected = Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected');
      if (option.selected !== wanted.includes(option)) selected.set.call(option, wanted.includes(option));
    }
    hub.tell(select);
    return { state: 'ready', values: hub.chosen(select).map((option) => option.value), labels: hub.chosen(select).map((option) => option.label) };
  };

  // chooseOption selects the option that a node stands for. In a select with multiple, it toggles the option instead.
  hub.chooseOption = (node, number) => {
    const option = hub.element(node);
    const select = option.closest('select');
    if (off(option)) return { state: 'disabled', by: 'disabled' };
    if (!select || hub.disabled(select)) return { state: 'disabled', by: select ? 'disabled with its select' : 'no select around it' };
    hub.begins(number);
    select.focus({ preventScroll: true });
    Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected').set.call(option, select.multiple ? !option.selected : true);
    hub.tell(select);
    return { state: 'ready', values: hub.chosen(select).map((each) => each.value), labels: hub.chosen(select).map((each) => each.label) };
  };

  // closedOption says whether a node is an option that has no box of its own to press.
  hub.closedOption = (node) => {
    const element = hub.element(node);
    return !!element && element.nodeName === 'OPTION' && element.closest('select') !== null && element.getClientRects().length === 0;
  };
}
