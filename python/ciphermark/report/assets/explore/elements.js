// Making parts of the page. Text only ever becomes text.
(() => {
  "use strict";

  const make = (parent, tag, content, name) => {
    const element = parent.appendChild(document.createElement(tag));
    if (content !== undefined) element.textContent = content;
    if (name) element.className = name;
    return element;
  };

  const button = (parent, content, press) => {
    const element = make(parent, "button", content);
    element.type = "button";
    element.addEventListener("click", press);
    return element;
  };

  /// A named select whose options are `[value, text]`.
  const select = (parent, name, label, options, change) => {
    const element = make(make(parent, "label", `${label} `), "select");
    element.name = name;
    for (const [value, text] of options) make(element, "option", text).value = value;
    element.addEventListener("change", () => change(element.value));
    return element;
  };

  const heads = (table, names) => {
    const row = make(make(table, "thead"), "tr");
    for (const [name, kind] of names) make(row, "th", name, kind ?? "").scope = "col";
    return make(table, "tbody");
  };

  /// A table that scrolls in its own box, and its body.
  const scrolled = (parent, label, names, tall = false) => {
    const box = make(parent, "div", undefined, tall ? "scroll tall" : "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", label);
    const table = make(box, "table");
    return { box, table, body: heads(table, names) };
  };

  Object.assign(globalThis.explorer, { make, button, select, heads, scrolled });
})();
