// Gives navigator.modelContext (give is extension/shared/legacy-name.js) to the documents of the origins that are permitted. Runs in
// the page's own world; nothing of the origins is to be found by the page.
((allow, deny, give) => {
  "use strict";
  const is = (expression) => new RegExp(expression).test(self.origin);
  if (!deny.some(is) && (!allow.length || allow.some(is))) give();
});
