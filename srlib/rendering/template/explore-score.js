// The official scorer once more, step by step and name by name as in srlib/judging (screening, measures, values, ranking,
// verdict); tests/browser/test_explore.py shows that it gives what `srlib score` gives. It asks nothing and changes nothing.
// Arrays are nested: aspects, datasets, methods, repetitions. NaN stands for what is absent.
"use strict";
const scorer = (() => {
  const range = n => Array.from({ length: n }, (_, i) => i);
  const sorted = set => [...set].sort((a, b) => a - b);
  const power = n => Number(`1e${n}`);
  const known = values => values.filter(x => !isNaN(x));
  const least = values => known(values).reduce((a, b) => Math.min(a, b), Infinity);

  // As NumPy adds what lies side by side, with eight partial sums: so both give the same number to the last bit
  const sum = values => {
    const n = values.length;
    if (n < 8) return values.reduce((a, b) => a + b, 0);
    if (n > 128) {
      const half = (n >> 1) - (n >> 1) % 8;
      return sum(values.slice(0, half)) + sum(values.slice(half));
    }
    const whole = n - n % 8, r = values.slice(0, 8);
    for (let i = 8; i < whole; i += 1) r[i % 8] += values[i];
    const parts = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    return values.slice(whole).reduce((a, b) => a + b, parts);
  };
  // Halves to the even neighbour
  const rint = x => {
    const up = Math.round(x);
    return Math.abs(x % 1) === 0.5 && up % 2 ? up - 1 : up;
  };
  const round = (x, digits) => rint(x * power(digits)) / power(digits);
  const significant = x => {
    if (!isFinite(x) || x === 0) return x;
    const exponent = Math.floor(Math.log10(Math.abs(x)));
    const scale = power(Math.min(Math.max(11 - exponent, -290), 290));
    return rint(x * scale) / scale;
  };

  // --- The data as they stand on the page: lists of numbers, or 64-bit floats in base64
  const unpacked = given => {
    if (typeof given !== "string") return given.map(x => x === null ? NaN : x);
    return [...new Float64Array(Uint8Array.from(atob(given), c => c.charCodeAt(0)).buffer)];
  };
  const load = data => {
    const columns = {}, scores = {}, n = data.rows.method.length;
    for (const [name, column] of Object.entries(data.columns)) columns[name] = unpacked(column);
    for (const [kind, choices] of Object.entries(data.scores)) {
      const own = range(n).filter(i => data.datasets[data.rows.dataset[i]].property === kind);
      scores[kind] = {};
      for (const [choice, column] of Object.entries(choices)) {
        if (column in columns) {
          scores[kind][choice] = columns[column];
          continue;
        }
        const found = new Array(n).fill(NaN), values = unpacked(column);
        own.forEach((i, k) => { found[i] = values[k]; });
        scores[kind][choice] = found;
      }
    }
    const unusable = new Set(data.rows.unusable), unmade = new Set(data.rows.unmade);
    return { ...data, columns, scores, usable: range(n).map(i => !unusable.has(i)), made: range(n).map(i => !unmade.has(i)) };
  };

  // --- Which combinations the rules refuse (srlib/rules/judge.py and blocks.py)
  const refused = judge => {
    const aspects = Object.values(judge.aspects), sources = aspects.map(a => a.from), weights = aspects.map(a => a.weight);
    const minimum = judge.minimal_accuracy !== null, values = judge.combine === "values", none = "combine values makes no ranks: ";
    const rules = [
      ["transform neg_log and base go together", aspects.some(a => (a.transform === "neg_log") !== (a.base !== null))],
      ["transform neg_log goes with from: complexity or complexity_raw", aspects.some(a => a.transform && !/^complexity(_raw)?$/.test(a.from))],
      ["digits and round go together", aspects.some(a => (a.digits === null) !== (a.round === null))],
      ["direction by_property goes with from: property, and only with it", aspects.some(a => (a.direction === "by_property") !== (a.from === "property"))],
      ["minimal_accuracy needs an aspect from r2_test", minimum && !sources.includes("r2_test")],
      ["aspects: only one may come from property", sources.filter(s => s === "property").length > 1],
      ["quirk noise_base_as_easy leaves no reference: properties.noise_sensitivity must be r2_test",
        judge.quirks.includes("noise_base_as_easy") && judge.properties.noise_sensitivity === "ratio"],
      [none + "rank_per must be aggregate", values && judge.rank_per !== "aggregate"],
      [none + "missing must be worst_rank or drop", values && judge.missing === "as_published"],
      [none + "minimal_accuracy must be null", values && minimum],
      [none + "noise_guard.action must be flag", values && judge.noise_guard.action !== "flag"],
      [none + "all aspects must be from value", values && sources.some(s => s !== "value")],
      ["aspects: a weight above 0 is needed", weights.every(w => w === 0)],
      ["combine mean has no weights: weighted_mean has", judge.combine === "mean" && weights.some(w => w !== 1)],
    ];
    return (rules.find(([, found]) => found) || [""])[0];
  };

  // --- Screening: which runs count, on which datasets, of which methods
  const withoutReference = (data, kept, dataset, barred) => {
    const { rows } = data, able = i => data.usable[i] && !barred.has(rows.method[i]);
    const renamed = new Set(kept.filter(i => able(i) && rows.dataset[i] in data.least));
    renamed.forEach(i => { dataset[i] = data.least[rows.dataset[i]]; });
    const taken = new Set();
    return [...renamed, ...kept.filter(i => !renamed.has(i))].filter(i => {
      const key = `${rows.method[i]} ${dataset[i]} ${rows.repetition[i]}`;
      return !taken.has(key) && taken.add(key);
    });
  };
  const screen = (data, judge, without) => {
    const { rows, datasets } = data, dataset = [...rows.dataset], bit = data.candidates.indexOf(judge.candidate);
    const gone = new Set(without.methods), left = new Set(without.datasets), barred = new Set(data.barred);
    let kept = range(dataset.length).filter(i => !gone.has(rows.method[i]) && !left.has(dataset[i]));
    if (bit >= 0) kept = kept.filter(i => rows.candidates[i] >> bit & 1);
    if (judge.quirks.includes("noise_base_as_easy")) kept = withoutReference(data, kept, dataset, barred);
    kept = kept.filter(i => dataset[i] >= 0);
    const seir = judge.quirks.includes("seir_left_out"), counts = datasets.map(d => d.scored && !(seir && d.seir));
    const onTrack = new Set(kept.map(i => dataset[i])), took = kept.filter(i => !barred.has(rows.method[i]));
    const usable = took.filter(i => data.usable[i]), inside = took.filter(i => counts[dataset[i]]);
    const entered = new Set(inside.map(i => rows.method[i]));
    let ran = new Set(inside.filter(i => data.usable[i]).map(i => rows.method[i]));
    if (!ran.size) ran = entered;
    const scored = new Set(inside.filter(i => ran.has(rows.method[i])).map(i => dataset[i]));
    const references = [...onTrack].filter(d => counts[d]).map(d => datasets[d].reference).filter(d => onTrack.has(d));
    const order = [...sorted(scored), ...sorted(new Set(references.filter(d => !scored.has(d))))], methods = sorted(ran);
    const place = new Map(order.map((d, k) => [d, k])), position = new Map(methods.map((m, k) => [m, k]));
    const attempted = order.map(() => methods.map(() => 0));
    for (const i of kept) {
      if (data.made[i] && place.has(dataset[i]) && position.has(rows.method[i])) {
        attempted[place.get(dataset[i])][position.get(rows.method[i])] += 1;
      }
    }
    const ranked = usable.filter(i => place.has(dataset[i]) && position.has(rows.method[i])).map(i => (
      { i, of: dataset[i], d: place.get(dataset[i]), m: position.get(rows.method[i]), repetition: rows.repetition[i] }));
    return { runs: ranked, methods, datasets: order, scored, idle: sorted(entered).filter(m => !ran.has(m)), attempted, any: [...onTrack].some(d => counts[d]), used: inside.some(i => data.usable[i]) };
  };

  // --- Measures: one value a run and aspect, arranged, and what the scorer knows of the datasets
  const transformed = (x, aspect) => {
    const value = aspect.transform === "neg_log" ? -Math.log(x) / Math.log(aspect.base) : x;
    return aspect.digits === null || aspect.round === "after" ? value : round(significant(value), aspect.digits) + 0;
  };
  const chosen = (data, judge, d) => {
    const kind = data.datasets[d].property;
    return [kind, kind === null ? null : judge.properties[kind]];
  };
  const property = (data, judge, run) => {
    const [kind, choice] = chosen(data, judge, run.of);
    const even = kind === "relevant_features" && judge.quirks.includes("even_features_irrelevant") ? " even" : "";
    const column = kind === null ? undefined : data.scores[kind][choice + even];
    return column === undefined ? NaN : column[run.i];
  };
  const valuesOf = (data, screened, judge) => Object.values(judge.aspects).map(aspect => screened.runs.map(run => (
    aspect.from === "property" ? property(data, judge, run) : transformed(data.columns[aspect.from][run.i], aspect))));
  const slots = (runs, judge, methods) => {
    const unique = sorted(new Set(runs.map(run => run.repetition)));
    if (unique.length <= judge.repetitions) {
      const code = new Map(unique.map((repetition, k) => [repetition, k]));
      return runs.map(run => code.get(run.repetition));
    }
    const group = run => judge.rank_per === "aggregate" ? run.d * methods + run.m : run.d, groups = new Map();
    runs.forEach(run => groups.set(group(run), (groups.get(group(run)) || new Set()).add(run.repetition)));
    const codes = new Map([...groups].map(([key, some]) => [key, new Map(sorted(some).map((r, k) => [r, k]))]));
    return runs.map(run => codes.get(group(run)).get(run.repetition));
  };
  const arranged = (data, screened, judge) => {
    const found = valuesOf(data, screened, judge), place = slots(screened.runs, judge, screened.methods.length);
    const width = place.reduce((a, b) => Math.max(a, b), 0) + 1;
    const values = found.map(() => screened.datasets.map(() => screened.methods.map(() => new Array(width).fill(NaN))));
    found.forEach((column, a) => screened.runs.forEach((run, k) => { values[a][run.d][run.m][place[k]] = column[k]; }));
    return [values, designOf(data, screened, judge)];
  };
  const designOf = (data, screened, judge) => {
    const aspects = Object.values(judge.aspects), order = screened.datasets;
    const prop = aspects.findIndex(a => a.from === "property"), accuracy = aspects.findIndex(a => a.from === "r2_test");
    const sign = aspects.map(a => order.map(() => a.direction === "lower" ? -1 : 1));
    const floor = aspects.map(a => order.map(() => a.transform === null ? number(data.floors[a.from]) : NaN));
    const reference = order.map(() => -1), gap = order.map(() => NaN);
    order.forEach((of, d) => {
      const [kind, choice] = chosen(data, judge, of), base = order.indexOf(data.datasets[of].reference);
      if (kind === null || prop < 0) return;
      sign[prop][d] = data.scorers[kind][choice][0];
      floor[prop][d] = number(data.scorers[kind][choice][1]);
      if (choice !== "ratio" || base < 0) return;
      reference[d] = base;
      gap[d] = data.datasets[of].gap;
    });
    return {
      sign, floor, reference, gap, accuracy, prop, best: number(data.best),
      digits: aspects.map(a => a.round === "after" ? a.digits : null), scored: order.map(of => screened.scored.has(of)),
      extra: screened.attempted.map(row => row.map(n => Math.max(n - judge.repetitions, 0))), weight: order.map(of => data.datasets[of].weight),
    };
  };
  const number = x => x === null || x === undefined ? NaN : Number(x);

  // --- From values of runs to one value a cell
  const floors = (values, sign, limit, judge) => values.map((aspect, a) => aspect.map((cells, d) => {
    let worst = least(cells.flat().map(x => x * sign[a][d]));
    if (worst === Infinity && !known(cells.flat()).length) return NaN;
    if (judge.incomplete === "floor") worst = least([worst, limit[a][d] * sign[a][d]]);
    return worst * sign[a][d] + 0;
  }));
  const filled = (values, standIn, judge, extra) => {
    const expected = extra.map(row => row.map(n => judge.repetitions + n));
    const most = expected.flat().reduce((a, b) => Math.max(a, b), 0);
    return values.map((aspect, a) => aspect.map((cells, d) => cells.map((cell, m) => {
      const runs = [...cell, ...new Array(Math.max(most - cell.length, 0)).fill(NaN)], present = known(runs).length;
      let wanted = present && judge.incomplete !== "rest" ? Math.max(expected[d][m] - present, 0) : 0;
      return runs.map(x => isNaN(x) && wanted-- > 0 ? standIn[a][d] : x);
    })));
  };
  const noisyPairs = design => {
    const noisy = design.prop < 0 ? [] : range(design.reference.length).filter(d => design.reference[d] >= 0);
    return [noisy, noisy.map(d => design.reference[d])];
  };
  const highAccuracy = (values, design, judge) => {
    const both = noisyPairs(design).flat(), pick = rows => both.map(d => rows[d]);
    if (!both.length) return [];
    const quality = [pick(values[design.accuracy])], sign = [pick(design.sign[design.accuracy]).map(x => -x)];
    return filled(quality, floors(quality, sign, [both.map(() => design.best)], judge), judge, pick(design.extra))[0];
  };
  const meanPresent = values => {
    const count = values.filter(isFinite).length;
    return count ? sum(values.map(x => isNaN(x) ? 0 : x)) / count : NaN;
  };
  const aggregate = (cell, how) => {
    const ordered = [...known(cell).sort((a, b) => a - b), ...cell.filter(isNaN)], count = ordered.filter(isFinite).length;
    if (how !== "median") return meanPresent(ordered);
    const low = ordered[Math.floor(Math.max(count - 1, 0) / 2)], high = ordered[Math.min(Math.floor(count / 2), ordered.length - 1)];
    return count ? (low + high) / 2 : NaN;
  };
  const withNoiseRatio = (value, high, design) => {
    const [noisy, reference] = noisyPairs(design);
    if (!noisy.length) return value;
    const low = value[design.accuracy], result = value.map(aspect => [...aspect]), n = noisy.length;
    noisy.forEach((d, k) => {
      result[design.prop][d] = low[d].map((x, m) => (
        Math.max(high[k][m] - low[reference[k]][m], high[n + k][m] - x) / design.gap[d]));
    });
    return result;
  };
  const belowMinimum = (value, design, share) => value[design.accuracy].map(quality => {
    const best = known(quality).reduce((a, b) => Math.max(a, b), -Infinity);
    return quality.map(x => isFinite(x) && !(x > share * best));
  });
  const roundAspects = (value, design) => value.map((aspect, a) => aspect.map(row => row.map(x => (
    (design.digits[a] === null ? significant(x) : round(significant(x), design.digits[a])) + 0))));
  const noiseGuard = (value, design, minimum) => design.reference.map((base, d) => value[0][d].map((_, m) => (
    base >= 0 && value[design.accuracy][d][m] < minimum && value[design.accuracy][base][m] < minimum)));

  // --- The official scorer
  const prepared = (values, design, judge) => {
    const full = filled(values, floors(values, design.sign, design.floor, judge), judge, design.extra), high = highAccuracy(values, design, judge);
    const each = (table, how) => table.map(row => row.map(how)), whole = cell => aggregate(cell, judge.aggregate);
    const value = withNoiseRatio(full.map(aspect => each(aspect, whole)), each(high, whole), design);
    const ran = values[0][0].map((_, m) => values.some(aspect => aspect.some((cells, d) => design.scored[d] && cells[m].some(isFinite))));
    const found = { value, rounded: roundAspects(value, design), flagged: noiseGuard(value, design, judge.noise_guard.min_accuracy), filled: full, ran };
    if (judge.rank_per !== "repetition") return found;
    const single = range(full[0][0][0].length).map(s => (
      withNoiseRatio(full.map(aspect => each(aspect, cell => cell[s])), each(high, cell => s < cell.length ? cell[s] : NaN), design)));
    return { ...found, single, singleRounded: single.map(one => roundAspects(one, design)) };
  };
  const below = (value, design, judge) => {
    if (judge.minimal_accuracy === null) return value[0].map(row => row.map(() => false));
    return belowMinimum(value, design, judge.minimal_accuracy);
  };
  const ranked = (found, design, judge) => {
    if (!found.single) return aspectRanks(found.rounded, design, judge, found.flagged, below(found.value, design, judge), found.ran);
    const ranks = found.singleRounded.map((one, s) => (
      aspectRanks(one, design, judge, found.flagged, below(found.single[s], design, judge), found.ran)));
    const taken = ranks.map((_, s) => found.filled[0].map((_, d) => found.filled.some(aspect => aspect[d].some(cell => isFinite(cell[s])))));
    return found.rounded.map((aspect, a) => aspect.map((row, d) => row.map((_, m) => {
      const own = known(ranks.map((one, s) => taken[s][d] ? one[a][d][m] : NaN));
      return own.length ? own.reduce((x, y) => x + y, 0) / own.length : NaN;
    })));
  };
  const rankdata = (values, ties) => values.map(x => {
    const before = values.filter(y => y < x), same = values.filter(y => y === x).length, first = before.length + 1;
    return { dense: new Set(before).size + 1, min: first, max: first + same - 1, average: first + (same - 1) / 2 }[ties];
  });
  const aspectRanks = (rounded, design, judge, flagged, low, ran) => {
    const counted = ran.filter(Boolean).length || ran.length, worst = judge.rank_start;
    const absent = judge.missing === "as_published" ? counted : worst;
    const rank = rounded.map((aspect, a) => aspect.map((row, d) => {
      const places = rankdata(row.map(x => isNaN(x) ? Infinity : -x * design.sign[a][d]), judge.ties);
      const guarded = a === design.prop && judge.noise_guard.action === "worst_rank";
      return row.map((x, m) => {
        if (low[d][m] || (guarded && flagged[d][m])) return worst;
        return isNaN(x) ? absent : Math.max(counted - places[m] + worst, worst);
      });
    }));
    if (judge.missing === "as_published") return rank;
    const unused = rounded.map(aspect => aspect.map(row => row.every(isNaN)));
    return rank.map((aspect, a) => aspect.map((row, d) => unused[a][d] && !unused.every(one => one[d]) ? row.map(() => NaN) : row));
  };
  const weightedMean = (values, weights) => {
    let total = 0, summed = 0;
    values.forEach((x, k) => {
      const counted = isNaN(x) ? 0 : weights[k], part = x * counted;
      total += counted;
      summed += isNaN(part) ? 0 : part;
    });
    return total > 0 ? summed / total : NaN;
  };
  const harmonicMean = (values, weights) => {
    let total = 0, inverse = 0;
    values.forEach((x, k) => {
      const counted = isNaN(x) ? 0 : weights[k];
      total += counted;
      inverse += counted > 0 ? counted / x : 0;
    });
    return total > 0 ? total / inverse : NaN;
  };
  // The mean on a dataset, the mean over the datasets, and whether the final score is one mean over both
  const COMBINATIONS = {
    harmonic_then_mean: [harmonicMean, weightedMean, false], one_harmonic: [harmonicMean, harmonicMean, true],
    mean: [weightedMean, weightedMean, false], weighted_mean: [weightedMean, weightedMean, false], values: [weightedMean, weightedMean, false],
  };
  const combine = (rank, rounded, design, judge) => {
    const weights = Object.values(judge.aspects).map(a => a.weight), values = judge.combine === "values";
    const what = rank.map((aspect, a) => aspect.map((row, d) => {
      const own = values ? rounded[a][d].map(x => x * design.sign[a][d]) : row, worst = known(own).length ? least(own) : NaN;
      return own.map((x, m) => {
        if (!design.scored[d]) return NaN;
        if (judge.missing === "worst_rank") return values && isNaN(x) ? worst : x;
        return rounded.every(one => isNaN(one[d][m])) ? NaN : x;
      });
    }));
    const [inside, mean, overAll] = COMBINATIONS[judge.combine], every = range(design.scored.length);
    const dataset = every.map(d => rank[0][d].map((_, m) => inside(what.map(aspect => aspect[d][m]), weights)));
    const final = (rank[0][0] || []).map((_, m) => {
      if (!overAll) return mean(dataset.map(row => row[m]), design.weight);
      return mean(what.flatMap(aspect => aspect.map(row => row[m])), weights.flatMap(w => design.weight.map(v => w * v)));
    });
    return { dataset, final };
  };

  // --- From names of methods to their places; without a score, a method stands below, in the order of names
  const placed = (screened, final) => {
    const rows = screened.methods.map((method, k) => ({ method, score: isFinite(final[k]) ? final[k] : null }));
    const known = rows.filter(row => row.score !== null).map(row => ({ ...row, at: round(row.score, 12) }));
    const best = known.map(row => ({ method: row.method, score: row.score, place: 1 + known.filter(other => other.at > row.at).length }));
    const rest = [...rows.filter(row => row.score === null).map(row => row.method), ...screened.idle].sort((a, b) => a - b);
    best.sort((a, b) => a.place - b.place || a.method - b.method);
    return [...best, ...rest.map(method => ({ method, score: null, place: null }))];
  };
  const score = (data, { judge, without }) => {
    const wrong = refused(judge);
    if (wrong) return { refused: wrong, ranking: [] };
    const screened = screen(data, judge, without);
    if (!screened.any) return { refused: "no run is on a dataset that these rules score", ranking: [] };
    if (!screened.used) return { refused: "no run could be scored", ranking: [] };
    const [values, design] = arranged(data, screened, judge);
    if (design.accuracy < 0 && noisyPairs(design)[0].length) {
      return { refused: "judge.aspects: noise sensitivity needs an aspect from r2_test, got none", ranking: [] };
    }
    const found = prepared(values, design, judge), { dataset, final } = combine(ranked(found, design, judge), found.rounded, design, judge);
    return { refused: "", ranking: placed(screened, final.map((x, m) => found.ran[m] ? x : NaN)), dataset, screened };
  };
  return { load, score };
})();
