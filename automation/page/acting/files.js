// Finds the file input that an element stands for, and says whether the input takes files.
(hub) => {
  'use strict';

  const isFile = (element) => !!element && element.nodeName === 'INPUT' && element.type === 'file';

  // fileInput returns the file input: the element itself, the input of the label around it, or the only one inside it.
  hub.fileInput = (node) => {
    const element = hub.element(node);
    if (!element || !element.isConnected) return null;
    if (isFile(element)) return element;
    const label = element.closest('label');
    if (label && isFile(label.control)) return label.control;
    const inside = (element.shadowRoot || element).querySelectorAll('input[type=file]');
    return inside.length === 1 ? inside[0] : null;
  };

  // takes says whether an accept attribute permits a file with this name and type.
  hub.takes = (accept, name, type) => {
    const rules = accept.split(',').map((rule) => rule.trim().toLowerCase()).filter(Boolean);
    if (!rules.length) return true;
    name = name.toLowerCase();
    return rules.some((rule) => rule.startsWith('.') ? name.endsWith(rule)
      : rule.endsWith('/*') ? !type || type.startsWith(rule.slice(0, -1)) : !type || type === rule);
  };

  // wants says what a file input takes. files are { name, type }; an unknown type is ''.
  hub.wants = (input, files) => {
    if (!isFile(input)) return { state: 'nofile', by: hub.describe(input) };
    const off = hub.disabled(input);
    if (off) return { state: 'disabled', by: off };
    const refused = files.filter((file) => !hub.takes(input.accept, file.name, file.type)).map((file) => file.name);
    return { state: 'ready', multiple: input.multiple, directory: !!input.webkitdirectory, accept: input.accept, refused, what: hub.describe(input) };
  };

  // empty removes all files from an input.
  hub.empty = (input) => {
    if (!input.files.length) return;
    input.value = '';
    hub.tell(input);
  };

  hub.holds = (input) => ({ state: input.isConnected ? 'ready' : 'detached', files: [...input.files].map((file) => file.name) });
}
