// A choice for each switch that the documents leave open; the ranking is looked up among those that srlib judged.
"use strict";
document.querySelectorAll(".what-if").forEach(box => {
  const { switches, methods, readings } = JSON.parse(box.querySelector("script").textContent);
  const names = Object.keys(switches), rankings = new Map(readings.map(row => [row.slice(0, -1).join(), row.at(-1)]));
  const official = rankings.get(names.map(() => 0).join());
  const add = (parent, tag, text = "") => parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
  const plain = text => text.replaceAll("_", " ");
  if (!names.length) return;
  const form = add(box, "form");
  const choices = names.map(name => {
    const label = add(form, "label", `${plain(name)} `), select = add(label, "select");
    switches[name].forEach((value, position) => { add(select, "option", plain(value)).value = position; });
    return select;
  });
  const reset = add(form, "button", "As the rules say");
  reset.type = "reset";
  const winner = add(box, "p"), table = add(box, "table");
  winner.setAttribute("role", "status");
  table.className = "srlib";
  const show = () => {
    const ranking = rankings.get(choices.map(select => select.value).join());
    table.replaceChildren();
    if (!ranking) {
      winner.textContent = "This combination is not on the page: the rules refuse it, or it is one of very many. srlib judge takes any rules.";
      return;
    }
    const first = methods.filter((_, at) => ranking[at][0] === 1), all = first.length === methods.length;
    const verb = all ? "share the first place: all are tied" : first.length > 1 ? "share the first place" : "wins";
    winner.textContent = `${first.join(", ")} ${methods.length > 1 ? verb : "is alone"}.`;
    add(table, "caption", "The ranking by these values of the switches");
    const head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
    ["place", "method", "score", "by the rules"].forEach(title => { add(head, "th", title).scope = "col"; });
    methods.map((_, at) => at).sort((a, b) => ranking[a][0] - ranking[b][0]).forEach(at => {
      const row = add(body, "tr"), [place, score] = ranking[at];
      const cells = [place, methods[at], score === null ? "\u2013" : score.toFixed(3), official ? official[at][0] : ""];
      cells.forEach((text, column) => { add(row, "td", text).className = column === 1 ? "" : "n"; });
    });
  };
  form.addEventListener("change", show);
  form.addEventListener("reset", () => setTimeout(show));
  show();
});
