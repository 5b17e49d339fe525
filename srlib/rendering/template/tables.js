// Tables can be sorted, and long ones searched. The page is complete without this; the downloads are not touched by it.
"use strict";
const SORTED = 3, LONG = 20; // rows
const make = (tag, attributes, text = "") => {
  const element = Object.assign(document.createElement(tag), { textContent: text });
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
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
const add_search = (table, rows) => {
  const box = make("p", { class: "search" }), label = make("label", {}, "Search this table ");
  const field = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const status = make("span", { role: "status" });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach(row => { row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word)); });
    status.textContent = words.length ? ` ${rows.filter(row => !row.hidden).length} of ${rows.length} rows` : "";
  });
  label.append(field);
  box.append(label, status);
  table.closest(".scroll").before(box);
};
const enhance = root => root.querySelectorAll(".scroll > table.srlib").forEach(table => {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  if (rows.length < SORTED) return;
  const value = (row, column) => {
    const cell = row.cells[column], text = (cell.querySelector("code") || cell).textContent.trim();
    return { row, text, number: number(text), absent: text === "\u2013" || text === "" };
  };
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", class: "sort", "aria-label": `Sort by ${head.textContent.trim()}` });
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort") || "none"];
      heads.forEach(other => other.removeAttribute("aria-sort"));
      if (next === "none") return body.append(...rows);
      head.setAttribute("aria-sort", next);
      const sorted = rows.map(row => value(row, column)).sort(compare(next === "descending" ? -1 : 1));
      body.append(...sorted.map(entry => entry.row));
    });
    head.append("\u00a0", button);
  });
  if (rows.length >= LONG) add_search(table, rows);
});
