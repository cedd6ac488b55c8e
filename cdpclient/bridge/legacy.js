// Gives navigator.modelContext (give is extension/shared/legacy-name.js) to the documents that are permitted, as their page is, by their
// origins. These are what Chrome says: an about:blank or srcdoc frame has its creator's, a sandbox none ("null"). Runs in the page's own
// world; nothing of the rules is to be found by the page.
((allow, deny, give) => {
  "use strict";
  const permitted = (origin) => {
    const is = (expression) => new RegExp(expression).test(origin);
    return !deny.some(is) && (!allow.length || allow.some(is));
  };
  if (permitted(self.origin) && permitted([...location.ancestorOrigins].at(-1) ?? self.origin)) give();
});
