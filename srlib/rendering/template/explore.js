// The explorer of a page: switches, weights and what is left out; at every change the scorer (explore-score.js) ranks anew.
// What was chosen stands in the address, behind #explore. All texts come from the page's data and are shown as text.
"use strict";
(() => {
  const held = document.getElementById("explore-data"), place = document.getElementById("explore");
  if (!held || !place) return;
  const SVG = "http://www.w3.org/2000/svg", LINE = 21, CUT = 20;
  const made = (tag, attributes = {}, ...inside) => {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...inside);
    return node;
  };
  const drawn = (tag, attributes, text) => {
    const node = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const shownNumber = (x, digits = 3) => x === null ? "\u2013" : x.toFixed(digits).replace("-", "\u2212");
  const listed = names => names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

  const start = () => {
    const data = JSON.parse(held.textContent), scene = scorer.load(data), names = data.shown;
    const copy = () => JSON.parse(JSON.stringify(data.judge)), official = scorer.score(scene, { judge: data.judge, without: { methods: [], datasets: [] } });
    let judge = copy(), without = { methods: [], datasets: [] };
    const controls = new Map(), boxes = { methods: [], datasets: [] }, kinds = [];
    const called = method => names.methods[method];

    // A switch by its path, as aspects.accuracy.weight; an item of a list, as quirks.seir_left_out
    const get = (block, path) => path.reduce((part, name) => Array.isArray(part) ? part.includes(name) : part[name], block);
    const set = (block, path, value) => {
      const part = path.slice(0, -1).reduce((inner, name) => inner[name], block), last = path.at(-1);
      if (!Array.isArray(part)) part[last] = value;
      else if (!value) part.splice(0, part.length, ...part.filter(name => name !== last));
      else if (!part.includes(last)) part.push(last);
      // What goes together, as the rules ask
      if (last === "transform") part.base = value === null ? null : part.base || 5;
      if (last === "base") part.transform = value === null ? null : "neg_log";
      if (last === "digits") part.round = value === null ? null : part.round || "after";
      if (last === "round") part.digits = value === null ? null : part.digits ?? 0;
    };
    const written = value => value === null ? "null" : String(value);
    const changed = () => data.switches.flatMap(group => group.switches).filter(one => get(judge, one.path) !== get(data.judge, one.path));

    // --- The state in the address
    const address = () => {
      const parts = changed().map(one => `${one.path.join(".")}=${encodeURIComponent(written(get(judge, one.path)))}`);
      for (const kind of ["methods", "datasets"]) {
        parts.push(...without[kind].map(i => `without-${kind.slice(0, -1)}=${encodeURIComponent(names[kind][i])}`));
      }
      return `#explore${parts.length ? "?" : ""}${parts.join("&")}`;
    };
    const read = hash => {
      judge = copy();
      without = { methods: [], datasets: [] };
      const known = new Map(data.switches.flatMap(group => group.switches).map(one => [one.path.join("."), one]));
      for (const part of hash.replace(/^#explore\??/, "").split("&").filter(Boolean)) {
        const [name, ...rest] = part.split("=");
        let text = "";
        try { text = decodeURIComponent(rest.join("=")); } catch { continue; }
        const kind = { "without-method": "methods", "without-dataset": "datasets" }[name], one = known.get(name);
        if (kind && names[kind].includes(text)) without[kind].push(names[kind].indexOf(text));
        if (!one) continue;
        const value = one.values ? one.values.find(v => written(v) === text) : text === "null" ? null : Number(text);
        if (value !== undefined && (one.values || (value === null ? one.none : fits(one, value)))) set(judge, one.path, value);
      }
    };
    const fits = (one, x) => (
      isFinite(x) && (one.least === null || x >= one.least) && (one.most === null || x <= one.most) && !(one.whole && x % 1));

    // --- Controls
    const control = one => {
      const id = `explore-${one.path.join("-")}`, ruled = get(data.judge, one.path), note = made("small", { id: `${id}-said` });
      let box;
      if (one.values) {
        box = made("select", { id, "aria-describedby": `${id}-said` });
        one.values.forEach((value, k) => box.append(new Option(`${one.labels[k]}${value === ruled ? " (as in the rules)" : ""}`, k)));
      } else {
        box = made("input", { id, type: "number", "aria-describedby": `${id}-said`, step: one.whole ? 1 : "any", size: 6 });
        if (one.least !== null) box.min = one.least;
        if (one.most !== null) box.max = one.most;
        if (one.none) box.placeholder = "none";
      }
      box.addEventListener(one.values ? "change" : "input", () => {
        if (one.values) set(judge, one.path, one.values[box.value]);
        else {
          const value = box.value === "" ? null : Number(box.value), right = !box.validity.badInput && (value === null ? one.none : fits(one, value));
          box.setAttribute("aria-invalid", String(!right));
          if (right) set(judge, one.path, value);
        }
        update(box);
      });
      controls.set(one, { box, note, ruled });
      return made("div", { class: "control" }, made("label", { for: id }, one.label), box, note);
    };
    const show = (one, { box, note, ruled }, typed) => {
      const value = get(judge, one.path), same = value === ruled, at = one.values ? one.values.indexOf(value) : -1;
      if (one.values) box.value = String(at);
      else if (box !== typed) {
        box.value = value === null ? "" : String(value);
        box.setAttribute("aria-invalid", "false");
      }
      box.parentNode.classList.toggle("changed", !same);
      const said = (one.values && one.says[at]) || one.meaning, rule = one.values ? one.labels[one.values.indexOf(ruled)] : written(ruled).replace("null", "none");
      note.textContent = same ? said : `${said} Changed; in the rules: ${rule}.`;
    };
    const group = (title, ...inside) => made("details", { class: "group" }, made("summary", {}, title), made("div", {}, ...inside));
    const tick = (kind, i, text) => {
      const box = made("input", { type: "checkbox" });
      box.addEventListener("change", () => {
        without[kind] = box.checked ? without[kind].filter(k => k !== i) : [...without[kind], i].sort((a, b) => a - b);
        update();
      });
      boxes[kind].push([i, box]);
      return made("label", { class: "tick" }, box, " ", made("bdi", {}, text));
    };
    const ticksOf = property => {
      const own = data.datasets.map((one, i) => [one, i]).filter(([one]) => one.scored && one.property === property);
      const all = made("input", { type: "checkbox" }), indices = own.map(([, i]) => i);
      all.addEventListener("change", () => {
        const rest = without.datasets.filter(i => !indices.includes(i));
        without.datasets = (all.checked ? rest : [...rest, ...indices]).sort((a, b) => a - b);
        update();
      });
      kinds.push([indices, all]);
      const every = made("label", { class: "tick every" }, all, ` ${property ? property.replace("_", " ") : "no property"}: all`);
      return own.length ? [every, ...own.map(([, i]) => tick("datasets", i, names.datasets[i]))] : [];
    };
    const properties = [...new Set(data.datasets.map(one => one.property))];

    const said = made("p", { class: "told", role: "status" }), figure = made("figure"), table = made("div");
    const reset = made("button", { type: "button" }, "Reset: all as in the rules"), same = made("pre", { tabindex: "0" });
    reset.addEventListener("click", () => {
      judge = copy();
      without = { methods: [], datasets: [] };
      update();
    });
    const groups = data.switches.map(one => group(one.title, ...one.switches.map(control)));
    groups.push(
      group("Methods that take part", ...names.methods.map((name, i) => [name, i]).filter(([, i]) => !data.barred.includes(i)).map(([name, i]) => tick("methods", i, name))),
      group("Datasets that count", ...properties.flatMap(ticksOf)));
    const results = made("div", { class: "results" }, said, figure,
      made("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Your ranking" }, table));
    const form = made("form", { "aria-label": "Switches, weights and what is left out" }, ...groups, reset);
    form.addEventListener("submit", event => event.preventDefault());
    place.append(made("div", { class: "both" }, results, form), made("details", { class: "same" }, made("summary", {}, "The same with srlib score"), same));

    // --- What follows from it
    const ofRules = new Map(official.ranking.map(row => [row.method, row]));
    const move = row => {
      const before = ofRules.get(row.method);
      if (!before || before.place === null || row.place === null) return before && before.place !== row.place ? "new" : "same";
      const up = before.place - row.place;
      return up === 0 ? "same" : up > 0 ? `up ${up}` : `down ${-up}`;
    };
    const winners = ranking => ranking.filter(row => row.place === 1).map(row => called(row.method));
    const sentence = found => {
      const turned = changed().length, out = ["methods", "datasets"].filter(kind => without[kind].length).map(kind => plural(without[kind].length, kind.slice(0, -1)));
      if (found.wrong) return `No ranking: ${found.refused}.`;
      if (found.refused) return `No ranking: ${turned > 1 ? "these switches exclude each other" : "the rules refuse this"} (${found.refused}).`;
      if (!turned && !out.length) return `Nothing is changed: this is the ranking of this page. ${listed(winners(found.ranking)) || "Nobody"} wins.`;
      const now = winners(found.ranking), then = winners(official.ranking), moved = found.ranking.filter(row => move(row) !== "same").length;
      const who = now.join() === then.join() ? `Winner as before: ${listed(now)}.` : `${listed(now) || "Nobody"} instead of ${listed(then) || "nobody"}.`;
      const what = [turned ? `${plural(turned, "switch").replace("switchs", "switches")} changed` : "", out.length ? `without ${listed(out)}` : ""].filter(Boolean);
      return `${who} ${moved ? `${moved} of ${plural(found.ranking.length, "method")} ${moved === 1 ? "changes" : "change"} place` : "No method changes place"} (${what.join(", ")}).`;
    };
    const rank = row => row.place === null ? "\u2013" : String(row.place);
    const ranking = found => {
      const head = made("tr", {}, ...["method", "yours", "in the rules", "change", "your score"].map((text, k) => made("th", { scope: "col", class: k % 3 || k === 4 ? "n" : "" }, text)));
      const body = found.ranking.map(row => {
        const cells = [rank(row), rank(ofRules.get(row.method) || { place: null }), move(row), shownNumber(row.score)];
        return made("tr", row.place === 1 ? { class: "marked" } : {}, made("th", { scope: "row" }, made("bdi", {}, called(row.method))), ...cells.map((text, k) => made("td", { class: k === 2 ? "" : "n" }, text)));
      });
      return made("table", { class: "srlib" }, made("caption", {}, "Your ranking, best first"), made("thead", {}, head), made("tbody", {}, ...body));
    };
    const slopes = found => {
      const left = official.ranking, right = found.ranking, rows = Math.max(left.length, right.length), at = new Map(right.map((row, k) => [row.method, k]));
      const words = left.map(row => `${called(row.method)} ${at.has(row.method) ? `${rank(row)} to ${rank(right[at.get(row.method)])}` : `${rank(row)}, left out`}`);
      const svg = drawn("svg", { viewBox: `0 0 420 ${(rows + 1) * LINE + 6}`, role: "img", "aria-label": `Places in the rules and yours: ${words.join("; ")}.` });
      const y = k => (k + 1) * LINE + 14;
      const label = (x, k, anchor, row, kind) => {
        const name = called(row.method), short = [...name].length > CUT ? `${[...name].slice(0, CUT - 1).join("")}\u2026` : name;
        const text = drawn("text", { x, y: y(k), "text-anchor": anchor, class: kind }, anchor === "end" ? `${short} ${rank(row)}` : `${rank(row)} ${short}`);
        text.append(drawn("title", {}, name));
        svg.append(text);
      };
      svg.append(drawn("text", { x: 170, y: 14, "text-anchor": "end", class: "heading" }, "in the rules"), drawn("text", { x: 250, y: 14, class: "heading" }, "yours"));
      left.forEach((row, k) => {
        const there = at.get(row.method), kind = there === undefined ? "out" : move(right[there]).split(" ")[0];
        if (there !== undefined) svg.append(drawn("path", { d: `M175 ${y(k) - 4}L245 ${y(there) - 4}`, class: kind }));
        label(170, k, "end", row, kind);
      });
      right.forEach((row, k) => label(250, k, "start", row, move(row).split(" ")[0]));
      return [svg, made("figcaption", {}, "From the place in the rules to yours: solid lines go up, dashed ones down, thin ones stay.")];
    };
    // For a shell; what nobody sees is written as an escape
    const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
    const quoted = text => {
      if (/^[\w.@-]+$/.test(text)) return text;
      if (text.search(UNSEEN) < 0) return `'${text.replaceAll("'", "'\\''")}'`;
      const safe = text.replace(/[\\']/g, "\\$&").replace(UNSEEN, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
      return `$'${safe}'`;
    };
    const command = () => {
      const lines = [], seen = new Set();
      for (const one of changed()) {
        const path = one.path[0] === "quirks" ? ["quirks"] : one.path, name = path.join(".");
        const value = get(judge, one.path);
        if (!seen.has(name)) lines.push(`judge.${name}: ${path.length < one.path.length ? `[${judge.quirks.join(", ")}]` : written(value)}`);
        seen.add(name);
      }
      const out = ["methods", "datasets"].flatMap(kind => without[kind].map(i => ` --without-${kind.slice(0, -1)} ${quoted(data[kind][i].name || data[kind][i])}`));
      const told = lines.length ? ["# In a copy of the rules, my-rules.yaml:", ...lines, ""] : [];
      return [...told, `srlib score RUNS --problems PROBLEMS --rules ${lines.length ? "my-rules.yaml" : data.rules}${out.join("")} --out scores`].join("\n");
    };
    // What cannot be taken has no winner either
    const wrong = typed => {
      const [one, { box }] = [...controls].find(([, parts]) => parts.box === typed);
      const limits = [one.whole ? "a whole number" : "a number", one.least === null ? "" : `not below ${one.least}`, one.most === null ? "" : `not above ${one.most}`];
      return { wrong: true, refused: `${one.label} takes ${limits.filter(Boolean).join(", ")}; this is ${box.value || "none"}` };
    };
    const update = typed => {
      const found = typed?.getAttribute("aria-invalid") === "true" ? wrong(typed) : scorer.score(scene, { judge, without });
      controls.forEach((parts, one) => show(one, parts, typed));
      for (const kind of ["methods", "datasets"]) boxes[kind].forEach(([i, box]) => { box.checked = !without[kind].includes(i); });
      kinds.forEach(([indices, box]) => {
        const gone = indices.filter(i => without.datasets.includes(i)).length;
        box.checked = !gone;
        box.indeterminate = gone > 0 && gone < indices.length;
      });
      said.textContent = sentence(found);
      said.classList.toggle("refused", Boolean(found.refused));
      figure.replaceChildren(...(found.refused ? [] : slopes(found)));
      table.replaceChildren(...(found.refused ? [] : [ranking(found)]));
      table.hidden = figure.hidden = Boolean(found.refused);
      same.textContent = command();
      reset.disabled = address() === "#explore";
      if (typed !== null && location.hash !== address() && (address() !== "#explore" || location.hash.startsWith("#explore"))) location.replace(address());
    };
    const arrive = () => {
      if (!location.hash.startsWith("#explore") || location.hash === address()) return;
      read(location.hash);
      update(null);
    };
    addEventListener("hashchange", arrive);
    arrive();
    update(null);
  };

  // Nothing is worked out before somebody looks
  const fold = place.closest("details");
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    start();
  };
  if (!fold || fold.open) begin();
  else fold.addEventListener("toggle", begin, { once: true });
  const asked = () => {
    if (!location.hash.startsWith("#explore") || begun) return;
    if (fold) fold.open = true;
    begin();
    place.scrollIntoView();
  };
  addEventListener("hashchange", asked);
  asked();
})();
