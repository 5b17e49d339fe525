// Compares with any other method; all texts stand on the page. It is complete without this, beside the winner.
"use strict";
(() => {
  const held = document.getElementById("others"), choose = document.getElementById("choose");
  if (!held || !choose) return;
  const { chosen, others } = JSON.parse(held.textContent);
  const table = document.getElementById("datasets-table"), body = table.tBodies[0], head = table.tHead.rows[0].cells;
  const written = [...body.rows], said = document.getElementById("said"), select = choose.querySelector("select");
  const caption = table.caption.textContent, start = caption.slice(0, caption.lastIndexOf(", and of ") + 9);
  others.forEach((other, i) => select.add(new Option(other.name, i, false, other.name === chosen)));
  select.addEventListener("change", () => {
    const other = others[select.value];
    other.rows.forEach(([at, theirs, difference, decided]) => {
      const cells = written[at].cells;
      cells[3].textContent = theirs;
      cells[1].textContent = difference;
      cells[5].textContent = decided;
    });
    body.append(...other.rows.map(([at]) => written[at]));
    [...head].forEach(one => one.removeAttribute("aria-sort"));
    head[3].firstChild.data = other.name;
    head[3].querySelector("button")?.setAttribute("aria-label", `Sort by ${other.name}`);
    table.caption.textContent = start + other.name;
    said.textContent = other.said;
    document.getElementById("sums").textContent = other.sums;
  });
  choose.hidden = false;
})();
