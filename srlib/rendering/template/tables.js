// Tables can be sorted, long ones searched, and all that is folded unfolds at once. The page is complete without this;
// the downloads are not touched by it.
"use strict";
const SORTED = 3, LONG = 12;
const make = (tag, attributes, text) => {
  const made = Object.assign(document.createElement(tag), { textContent: text || "" });
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  return made;
};
// As tables show numbers, with typographic minus and infinity: 1,234.5, \u22120.5, 1.00e+09; anything else is no number
const number = text => {
  const plain = text.replace(/[\u2212\u2013]/g, "-").replace(/,/g, "").replace("\u221e", "Infinity");
  return /^-?(\d+(\.\d+)?(e[+-]?\d+)?|Infinity)$/.test(plain) ? Number(plain) : NaN;
};
// Numbers before text, what is absent always last; rows that compare as equal keep their order
const compare = direction => (a, b) => {
  if (a.absent || b.absent) return a.absent - b.absent;
  if (isNaN(a.number) || isNaN(b.number)) {
    return isNaN(a.number) - isNaN(b.number) || direction * a.text.localeCompare(b.text, "en", { numeric: true });
  }
  return direction * (a.number < b.number ? -1 : a.number > b.number ? 1 : 0);
};
const enhance = table => {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  let written = [...body.rows];
  const value = (row, column) => {
    const cell = row.cells[column], text = (cell.querySelector("code") || cell).textContent.trim();
    return { row, text, number: number(text), absent: text === "\u2013" || text === "" };
  };
  heads.forEach((head, column) => {
    const name = head.textContent.trim(), button = make("button", { type: "button", class: "sort", "aria-label": `Sort by ${name}` });
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort") || "none"];
      if (!heads.some(other => other.hasAttribute("aria-sort"))) written = [...body.rows]; // another method may have been chosen
      heads.forEach(other => other.removeAttribute("aria-sort"));
      if (next !== "none") head.setAttribute("aria-sort", next);
      const direction = next === "descending" ? -1 : 1;
      const rows = written.map(row => value(row, column));
      body.append(...(next === "none" ? written : rows.sort(compare(direction)).map(entry => entry.row)));
    });
    head.append("\u00a0", button);
  });
  if (written.length < LONG) return;
  const box = make("div", { class: "search" }), label = make("label", {}, "Search this table ");
  const field = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const said = make("span", { role: "status" });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    written.forEach(row => { row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word)); });
    const left = written.filter(row => !row.hidden).length;
    said.textContent = words.length ? `${left} of ${written.length} rows` : "";
  });
  label.append(field);
  box.append(label, said);
  table.closest(".scroll").before(box);
};
// What comes in above must not push away what the address leads to, as long as nobody has moved
let moved = false;
["wheel", "touchmove", "keydown", "pointerdown"].forEach(kind => addEventListener(kind, () => { moved = true; }, { passive: true }));
const settle = () => {
  const there = document.querySelector(":target");
  if (there && !moved) there.scrollIntoView();
};
// After the first paint: nobody waits for buttons
requestAnimationFrame(() => setTimeout(() => {
  document.querySelectorAll(".scroll > table.srlib").forEach(table => {
    if (table.tHead && table.tBodies.length && table.tBodies[0].rows.length >= SORTED) enhance(table);
  });
  const asked = document.querySelector("[popover]:target");
  if (asked) asked.showPopover();
  settle();
  document.fonts.ready.then(settle);
  const folded = [...document.querySelectorAll("details.part, details.folded")], list = document.querySelector(".contents");
  if (!folded.length || !list) return;
  const button = make("button", { type: "button", class: "unfold" }, "Unfold everything");
  button.addEventListener("click", () => {
    const open = folded.some(part => !part.open);
    folded.forEach(part => { part.open = open; });
    button.textContent = open ? "Fold again" : "Unfold everything";
  });
  list.append(button);
}));
