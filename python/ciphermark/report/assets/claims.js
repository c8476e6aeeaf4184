// Claims by verdict: the chips of the first screen and the buttons above the cards show some of them.
(() => {
  "use strict";
  const section = document.getElementById("claims");
  if (!section) return;
  const bar = section.querySelector(".filter");
  const cards = [...section.querySelectorAll(".claim")];
  const status = bar.querySelector("[role=status]");
  const choices = [...bar.querySelectorAll("button[data-verdict]")];
  const unfold = bar.querySelector(".unfold");

  function show(verdict) {
    let count = 0;
    for (const card of cards) {
      card.hidden = verdict !== "" && card.dataset.verdict !== verdict;
      count += card.hidden ? 0 : 1;
    }
    for (const group of section.querySelectorAll(".claim-group")) {
      group.hidden = [...group.querySelectorAll(".claim")].every((card) => card.hidden);
    }
    for (const button of choices) button.setAttribute("aria-pressed", String(button.dataset.verdict === verdict));
    for (const chip of document.querySelectorAll(".chip")) {
      chip.classList.toggle("chosen", verdict !== "" && chip.dataset.verdict === verdict);
    }
    status.textContent = verdict === "" ? "" : `${count} of ${cards.length} shown`;
  }

  for (const button of choices) button.addEventListener("click", () => show(button.dataset.verdict));
  for (const chip of document.querySelectorAll(".chip")) chip.addEventListener("click", () => show(chip.dataset.verdict));
  unfold.addEventListener("click", () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    unfold.setAttribute("aria-pressed", String(open));
    for (const card of cards) card.open = open;
  });
  bar.hidden = false;
})();
