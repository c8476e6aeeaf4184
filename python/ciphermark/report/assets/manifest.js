// Large tables of the manifest are made when they are opened.
(() => {
  "use strict";
  const given = JSON.parse(document.getElementById("manifest-data").textContent);
  for (const details of document.querySelectorAll("details[data-packed]")) {
    details.addEventListener("toggle", async () => {
      const body = details.querySelector("tbody");
      if (body.rows.length) return;
      const lines = await globalThis.explorer.unpacked(given[details.dataset.packed]);
      if (body.rows.length) return;
      for (const line of lines) {
        const row = body.insertRow();
        for (const text of line) {
          const cell = row.insertCell();
          cell.className = "mono";
          cell.textContent = text;
        }
      }
    });
  }
})();
