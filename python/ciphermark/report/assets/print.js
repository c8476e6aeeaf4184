// On paper nothing can be opened: the details worth printing are open while printing.
(() => {
  "use strict";
  const opened = [];
  const before = () => {
    for (const element of document.querySelectorAll("details[data-print]:not([open])")) {
      element.open = true;
      opened.push(element);
    }
  };
  const after = () => { for (const element of opened.splice(0)) element.open = false; };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? before() : after()));
})();
