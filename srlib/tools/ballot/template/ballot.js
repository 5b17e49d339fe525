"use strict";
const form = document.querySelector("form");
const message = document.getElementById("message");
const items = list => [...list.querySelectorAll("li")];
const number = list => items(list).forEach((item, place) => { item.querySelector("[name=rank]").value = place + 1; });

form.addEventListener("click", event => {
  const button = event.target.closest("button[data-move]");
  if (!button) return;
  const item = button.closest("li"), list = item.parentElement;
  const other = button.dataset.move === "1" ? item.nextElementSibling : item.previousElementSibling;
  if (other && button.dataset.move === "1") other.after(item);
  if (other && button.dataset.move === "-1") other.before(item);
  number(list);
  button.focus();
  message.textContent = `${item.dataset.code} now has rank ${items(list).indexOf(item) + 1}.`;
});

let dragged = null;
form.addEventListener("dragstart", event => {
  dragged = event.target.closest("li");
  if (dragged) event.dataTransfer.setData("text/plain", dragged.dataset.code);
});
form.addEventListener("dragover", event => {
  const over = event.target.closest("li");
  if (!dragged || !over || over.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  if (over === dragged) return;
  const box = over.getBoundingClientRect();
  if (event.clientY > box.top + box.height / 2) over.after(dragged); else over.before(dragged);
});
form.addEventListener("drop", event => { if (dragged) event.preventDefault(); });
form.addEventListener("dragend", () => { if (dragged) number(dragged.parentElement); dragged = null; });

// A dataset may be left out as a whole.
const untouched = list => items(list).every(item =>
  ["rank", "trust"].every(name => !item.querySelector(`[name=${name}]`).value));

function faults() {
  const found = [];
  const expert = document.getElementById("expert");
  if (!expert.value.trim()) found.push([expert, "Please give your name."]);
  const filled = [...form.querySelectorAll("fieldset ol")].filter(list => !untouched(list));
  if (!filled.length) found.push([expert, "Please rank the models of one dataset at least."]);
  for (const list of filled) {
    const seen = new Map();
    for (const item of items(list)) {
      const [rank, trust] = ["rank", "trust"].map(name => item.querySelector(`[name=${name}]`));
      const code = item.dataset.code;
      if (!rank.checkValidity()) found.push([rank, `${code} needs a rank from 1 to ${rank.max}.`]);
      else if (seen.has(rank.value)) found.push([rank, `${code} and ${seen.get(rank.value)} share rank ${rank.value}.`]);
      else seen.set(rank.value, code);
      if (!trust.value) found.push([trust, `${code} needs a trust from 1 to 5.`]);
    }
  }
  return found;
}

form.addEventListener("submit", event => {
  event.preventDefault();
  const found = faults();
  if (found.length) {
    message.textContent = ["Not saved yet.", ...found.map(([, sentence]) => sentence)].join("\n");
    found[0][0].focus();
    return;
  }
  const quoted = value => `"${String(value).replaceAll('"', '""')}"`;
  const lines = [["packet", "expert", "dataset", "code", "rank", "trust", "comment"]];
  for (const item of form.querySelectorAll("li")) {
    const [rank, ...said] = ["rank", "trust", "comment"].map(name => item.querySelector(`[name=${name}]`).value);
    const dataset = item.closest("fieldset").dataset.dataset;
    if (untouched(item.parentElement)) continue;
    lines.push([form.dataset.packet, document.getElementById("expert").value.trim(), dataset, item.dataset.code, Number(rank), ...said]);
  }
  const text = lines.map(line => line.map(quoted).join(",")).join("\n") + "\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = "ballot.csv";
  link.click();
  message.textContent = "Saved as ballot.csv: please send this file.";
});
