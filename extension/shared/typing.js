// Types into a text field as a person does, for pages that listen only to key events. A script's events have no effect of their
// own, so this script does what each key does, unless the page prevents that.
webmcpHub.parts.typing = () => {
  const LONGEST = 200; // characters that are typed one by one; a longer text is pasted
  const key = (e, type, init) => e.dispatchEvent(new KeyboardEvent(type, { bubbles: true, composed: true, cancelable: true, ...init }));

  const codeOf = (char) => {
    if (/^[a-z]$/i.test(char)) return { code: `Key${char.toUpperCase()}`, keyCode: char.toUpperCase().charCodeAt(0) };
    if (/^[0-9]$/.test(char)) return { code: `Digit${char}`, keyCode: char.charCodeAt(0) };
    return char === " " ? { code: "Space", keyCode: 32 } : { code: "", keyCode: 0 };
  };

  // Returns false if the page prevented the effect of the key.
  const stroke = (e, name, codes, charCode, act) => {
    const down = key(e, "keydown", { key: name, ...codes });
    const goes = down && key(e, "keypress", { key: name, ...codes, keyCode: charCode, charCode });
    if (goes) act();
    key(e, "keyup", { key: name, ...codes });
    return goes;
  };

  const edit = (e, value, inputType, data) => {
    const how = { bubbles: true, composed: true, inputType, data };
    if (!e.dispatchEvent(new InputEvent("beforeinput", { ...how, cancelable: true }))) return;
    if (e.maxLength >= 0 && value.length > e.maxLength) return;
    e.value = value;
    e.dispatchEvent(new InputEvent("input", how));
  };

  /**
   * Replaces the text of a field.
   * @param {HTMLInputElement | HTMLTextAreaElement} e
   * @param {string} text
   */
  const type = (e, text) => {
    e.focus();
    if (e.value !== "") edit(e, "", "deleteContentBackward", null);
    const chars = [...text];
    if (chars.length > LONGEST) return edit(e, text, "insertFromPaste", text);
    for (const char of chars) stroke(e, char, codeOf(char), char.codePointAt(0), () => edit(e, e.value + char, "insertText", char));
  };

  /**
   * Tells the page that the user is done with a field.
   * @param {HTMLElement} e
   */
  const changed = (e) => e.dispatchEvent(new Event("change", { bubbles: true }));

  /**
   * Presses Enter in a one-line field.
   * @param {HTMLInputElement} e
   * @returns {boolean} false if the page prevented the effect of the key, which is to submit the field's form
   */
  const enter = (e) => stroke(e, "Enter", { code: "Enter", keyCode: 13 }, 13, () => changed(e));

  return { type, enter, changed };
};
