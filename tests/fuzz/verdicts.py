"""Random pairs of truth and model, their verdicts, and an oracle with 60 digits that does not use srlib.

    python -m tests.fuzz.verdicts --pairs 10000 --seed 0

A pair is a random formula and one of: an exact rewriting up to a constant, a near miss, a formula with steps, a spike
on top of the truth, a pole on top of the truth. A verdict is false when

- it calls a rewriting different, or a constant;
- it calls a model a solution that is further from the truth than moved constants can explain, or that has a pole
  inside the domain where the truth has none;
- it calls a proof symbolic where the values with 60 digits differ.

`unknown` is never false; its share is printed. Exit status 1 when a verdict is false.
"""

import argparse
import collections
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import mpmath

from srlib.expressions import compare, parse

Tree = Any  # a feature's name, a number as text, or (operator, tree, ...)
mp = mpmath.MPContext()
mp.dps = 60

POINTS = 40
EQUAL = mp.mpf(10) ** -40  # relative difference of equal functions at 60 digits
DOMAINS = ((1.0, 5.0), (-3.0, 3.0), (0.1, 2.0), (-5.5, 4.5))
SOLUTIONS = ("identical", "offset", "scale")
CATEGORIES = ("rewriting", "rewriting", "near miss", "near miss", "steps", "spike", "pole")

OPERATORS = {
    "add": ("({} + {})", lambda a, b: a + b),
    "sub": ("({} - {})", lambda a, b: a - b),
    "mul": ("({}*{})", lambda a, b: a * b),
    "div": ("({}/{})", lambda a, b: a / b),
    "neg": ("(-{})", lambda a: -a),
    "square": ("({})**2", lambda a: a**2),
    "cube": ("({})**3", lambda a: a**3),
    "sin": ("sin({})", mp.sin),
    "cos": ("cos({})", mp.cos),
    "tanh": ("tanh({})", mp.tanh),
    "exp": ("exp({})", mp.exp),
    "log": ("log({})", mp.log),
    "sqrt": ("sqrt({})", mp.sqrt),
    "abs": ("abs({})", abs),
    "floor": ("floor({})", mp.floor),
    "ceil": ("ceil({})", mp.ceil),
    "sign": ("sign({})", mp.sign),
    "mod": ("mod({}, {})", lambda a, b: a - b * mp.floor(a / b)),
    "max": ("max({}, {})", max),
    "min": ("min({}, {})", min),
    "gt": ("({} > {})", lambda a, b: mp.mpf(a > b)),
    "le": ("({} <= {})", lambda a, b: mp.mpf(a <= b)),
    "tan": ("tan({})", mp.tan),
    "sec": ("sec({})", mp.sec),
    "csc": ("csc({})", mp.csc),
    "cot": ("cot({})", mp.cot),
    "gamma": ("gamma({})", mp.gamma),
}
SMOOTH = (
    "add",
    "add",
    "sub",
    "mul",
    "mul",
    "div",
    "square",
    "sin",
    "cos",
    "exp",
    "sqrt",
    "log",
    "tanh",
    "abs",
    "neg",
)


def text_of(tree: Tree) -> str:
    """Write a tree as a model text."""
    if isinstance(tree, str):
        return tree
    return OPERATORS[tree[0]][0].format(*map(text_of, tree[1:]))


def value_of(tree: Tree, point: dict[str, Any]) -> Any:
    """Value of a tree with 60 digits; None where it is undefined or complex."""
    if isinstance(tree, str):
        return point[tree] if tree in point else mp.pi if tree == "pi" else mp.mpf(tree)
    arguments = [value_of(argument, point) for argument in tree[1:]]
    if None in arguments:
        return None
    try:
        value = OPERATORS[tree[0]][1](*arguments)
    except (ArithmeticError, ValueError):
        return None
    return value if isinstance(value, mp.mpf) and mp.isfinite(value) and abs(value) < 1e15 else None


def random_constant(rng: random.Random) -> str:
    return rng.choice(
        [str(rng.randrange(1, 10)), f"{rng.uniform(0.1, 10):.1f}", f"{rng.uniform(0.1, 3):.3f}"]
    )


def random_tree(rng: random.Random, names: list[str], depth: int) -> Tree:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(names) if rng.random() < 0.65 else random_constant(rng)
    name = rng.choice(SMOOTH)
    arity = OPERATORS[name][0].count("{}")
    return (name, *(random_tree(rng, names, depth - 1) for _ in range(arity)))


def rewrite(rng: random.Random, tree: Tree, names: list[str]) -> Tree:
    """Rewrite a tree exactly, at a few of its nodes."""
    if isinstance(tree, str):
        return (
            tree
            if rng.random() < 0.8
            else rng.choice([("add", tree, "0"), ("mul", "1", tree), ("neg", ("neg", tree))])
        )
    name, *arguments = tree
    arguments = [rewrite(rng, argument, names) for argument in arguments]
    tree = (name, *arguments)
    if rng.random() < 0.5:
        return tree
    a, b = (*arguments, None)[:2]
    other = rng.choice(names)
    choices: list[Tree] = [
        ("sub", ("add", tree, other), other),
        ("div", ("mul", tree, other), other),
    ]
    if name in ("add", "mul"):
        choices += [(name, b, a)] * 3
    if name == "mul" and not isinstance(b, str) and b[0] in ("add", "sub"):
        choices += [(b[0], ("mul", a, b[1]), ("mul", a, b[2]))] * 4
    if name == "sub":
        choices += [("add", a, ("neg", b)), ("neg", ("sub", b, a))]
    if name == "div":
        choices += [("mul", a, ("div", "1", b))] * 2
    if name == "square":
        choices += [("mul", a, a), ("square", ("abs", a))]
    if name == "sin":
        choices += [("cos", ("sub", ("div", "pi", "2"), a)), ("neg", ("sin", ("neg", a)))]
    if name == "cos":
        choices += [
            ("cos", ("neg", a)),
            ("sub", "1", ("mul", "2", ("square", ("sin", ("div", a, "2"))))),
        ]
    if name == "exp":
        choices += [("div", "1", ("exp", ("neg", a))), ("square", ("exp", ("div", a, "2")))]
    if name == "abs":
        choices += [("sqrt", ("square", a)), ("max", a, ("neg", a))]
    return rng.choice(choices)


def shifted(rng: random.Random, tree: Tree) -> Tree:
    """Add or multiply by a constant, or neither."""
    return rng.choice(
        [
            tree,
            ("add", tree, random_constant(rng)),
            ("mul", rng.choice(["-0.5", "2.71", "100"]), tree),
        ]
    )


def near_miss(rng: random.Random, tree: Tree, names: list[str]) -> Tree:
    """Change a tree somewhere, or add a small term; the oracle says whether it is still the same function."""
    if rng.random() < 0.4:
        size = rng.choice(["0.01", "0.1", "0.003", "1"])
        term = rng.choice(
            [rng.choice(names), ("sin", ("mul", "30", names[0])), ("square", names[-1])]
        )
        return ("add", tree, ("mul", size, term))
    if isinstance(tree, str):
        if tree in names:
            return rng.choice([*names, random_constant(rng), ("square", tree)])
        return f"{float(tree) * rng.choice([0.5, 0.9, 0.97, 1.03, 1.2, 2.0]):.6g}"
    name, *arguments = tree
    if rng.random() < 0.3:
        swaps = {
            "sin": "cos",
            "cos": "sin",
            "add": "sub",
            "sub": "add",
            "mul": "add",
            "square": "cube",
            "tanh": "sin",
        }
        return (swaps.get(name, name), *arguments) if rng.random() < 0.7 else arguments[-1]
    place = rng.randrange(len(arguments))
    arguments[place] = near_miss(rng, arguments[place], names)
    return (name, *arguments)


def step_pair(rng: random.Random, names: list[str]) -> tuple[Tree, Tree, bool]:
    """Truth and model with jumps, and whether they are equal but for a set of measure zero."""
    inner, base = (
        rng.choice([names[0], ("mul", "2", names[0]), random_tree(rng, names, 2)]),
        random_tree(rng, names, 2),
    )
    edge = random_constant(rng)
    pairs = [
        (("add", ("floor", inner), "1"), ("ceil", inner)),
        (("gt", inner, edge), ("sub", "1", ("le", inner, edge))),
        (
            ("max", inner, edge),
            ("div", ("add", ("add", inner, edge), ("abs", ("sub", inner, edge))), "2"),
        ),
        (("max", ("sub", inner, edge), "0"), ("max", ("sub", inner, edge), "0")),
        (("mul", ("sign", inner), ("abs", inner)), inner),
        (("mod", inner, "1"), ("sub", inner, ("floor", inner))),
        (("gt", inner, edge), ("gt", ("mul", "2", inner), ("mul", "2", edge))),
    ]
    truth, model = rng.choice(pairs)
    if rng.random() < 0.5:
        truth, model = ("mul", base, truth), ("mul", base, model)
    equal = rng.random() < 0.7
    if not equal:
        model = near_miss(rng, model, names)
    return truth, model, equal


def spike(rng: random.Random, name: str) -> Tree:
    narrow = ("mod", ("mul", str(rng.randrange(100, 2000)), name), "1")
    return rng.choice([
        ("mul", "2", ("gt", narrow, "0.9999")),
        ("mul", "100000", ("max", "0", ("sub", narrow, "0.9999"))),
    ])  # fmt: skip


def pole(rng: random.Random, name: str, domain: dict[str, tuple[float, float]]) -> Tree:
    """Return a small term with a pole inside the domain."""
    low, high = domain[name]
    middle = f"{rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low)):.3f}"
    angle = ("mul", f"{rng.uniform(7, 20) / (high - low):.3f}", name)
    term = rng.choice([
        *((function, angle) for function in ("tan", "sec", "csc", "cot")),
        ("div", "1", ("sub", name, middle)),
        ("div", "1", ("mod", ("mul", f"{rng.uniform(3, 6) / (high - low):.3f}", name), "1")),
        ("gamma", ("sub", f"{low:.3f}", ("mul", f"{3 / (high - low):.3f}", ("sub", name, f"{low:.3f}")))),
        ("gamma", ("neg", ("mul", f"{3 / (high - low):.3f}", ("sub", name, f"{low - 0.1:.3f}")))),
    ])  # fmt: skip
    return ("mul", rng.choice(["0.00001", "0.001", "0.0001"]), term)


def constants_of(
    tree: Tree, names: list[str], path: tuple[int, ...] = ()
) -> list[tuple[tuple[int, ...], float]]:
    if isinstance(tree, str):
        return [] if tree in names or tree == "pi" else [(path, float(tree))]
    return [
        found
        for i, argument in enumerate(tree[1:], 1)
        for found in constants_of(argument, names, (*path, i))
    ]


def replaced(tree: Tree, path: tuple[int, ...], value: str) -> Tree:
    if not path:
        return value
    return (*tree[: path[0]], replaced(tree[path[0]], path[1:], value), *tree[path[0] + 1 :])


class Oracle:
    """What 60 digits tell of a pair: values at random points, and how far both are from equal up to a constant."""

    def __init__(
        self, truth: Tree, model: Tree, domain: dict[str, tuple[float, float]], rng: random.Random
    ) -> None:
        self.points = [
            {name: mp.mpf(rng.uniform(*ends)) for name, ends in domain.items()}
            for _ in range(POINTS)
        ]
        pairs = [(value_of(truth, p), value_of(model, p)) for p in self.points]
        self.truth_defined = sum(t is not None for t, _ in pairs)
        self.model_undefined = sum(t is not None and m is None for t, m in pairs)
        self.points = [
            p
            for p, (t, m) in zip(self.points, pairs, strict=True)
            if t is not None and m is not None
        ]
        both = [pair for pair in pairs if None not in pair]
        self.t, self.m = [t for t, _ in both], [m for _, m in both]
        self.range = max(self.t, default=0) - min(self.t, default=0)
        self.model_range = max(self.m, default=0) - min(self.m, default=0)

    def usable(self) -> bool:
        """Whether truth and model are defined nearly everywhere, vary, and have values of ordinary size."""
        size = max(map(abs, [*self.t, *self.m]), default=0)
        return (
            self.truth_defined == POINTS
            and not self.model_undefined
            and self.range > 1e-3 * max(map(abs, self.t))
            and self.model_range > 1e-3 * max(map(abs, self.m))
            and 1e-3 < size < 1e6
            and len({mp.nstr(t, 10) for t in self.t}) > POINTS // 3
        )

    def departure(self) -> Any:
        """Smallest over identical, offset and scale of the largest difference, in shares of the truth's range."""
        mean = lambda values: sum(values) / len(values)  # noqa: E731
        offset = mean([m - t for t, m in zip(self.t, self.m, strict=True)])
        scale = sum(t * m for t, m in zip(self.t, self.m, strict=True)) / sum(t * t for t in self.t)
        shifts = [(1, 0), (1, offset), (scale, 0)]
        return min(
            max(
                abs(m - a * t - b) / (abs(a) * self.range)
                for t, m in zip(self.t, self.m, strict=True)
            )
            for a, b in shifts
            if abs(a) > 1e-6
        )

    def explained(self, trees: tuple[Tree, Tree], names: list[str]) -> Any:
        """How far constants of either, moved by 1% and 0.001, take it: shares of its range, summed."""
        total = mp.mpf(0)
        for tree, values in zip(trees, (self.t, self.m), strict=True):
            spread = max(values) - min(values)
            for path, constant in constants_of(tree, names):
                moved = replaced(tree, path, repr(constant + 0.01 * abs(constant) + 0.001))
                changes = [value_of(moved, p) for p in self.points]
                if None in changes:
                    return mp.inf
                total += max(abs(c - v) for c, v in zip(changes, values, strict=True)) / spread
        return total


def make_pair(rng: random.Random) -> tuple[str, Tree, Tree, dict[str, tuple[float, float]], bool]:
    """Draw a category, a truth, a model, a domain, and whether both are equal by construction."""
    names = ["x", "y", "z"][: rng.randrange(1, 4)]
    domain = {name: rng.choice(DOMAINS) for name in names}
    category = rng.choice(CATEGORIES)
    truth = random_tree(rng, names, rng.randrange(2, 5))
    if category == "rewriting":
        return category, truth, shifted(rng, rewrite(rng, truth, names)), domain, True
    if category == "steps":
        truth, model, equal = step_pair(rng, names)
        return category, truth, model, domain, equal
    if category == "spike":
        return category, truth, ("add", truth, spike(rng, names[0])), domain, False
    if category == "pole":
        return category, truth, ("add", truth, pole(rng, names[0], domain)), domain, False
    return category, truth, near_miss(rng, truth, names), domain, False


def judge(seed: int, number: int) -> tuple[str, str, str | None]:
    """Category and verdict of one pair, and what is false about it."""
    rng = random.Random(f"{seed}/{number}")
    while True:
        category, truth, model, domain, equal = make_pair(rng)
        oracle = Oracle(truth, model, domain, rng)
        if oracle.usable():
            break
    texts = text_of(truth), text_of(model)
    pair = f"pair {number}, {category}: truth {texts[0]}, model {texts[1]}, domain {domain}"
    try:
        verdict = compare(*(parse(text, list(domain)) for text in texts), domain)
    except Exception as error:
        return category, "raised", f"{pair}: raised {error!r}"
    departure = oracle.departure()
    solution = verdict.kind in SOLUTIONS
    fault = ""
    if equal and departure < EQUAL and verdict.kind in ("different", "constant"):
        fault = "the functions are equal"
    elif solution and category == "pole":
        fault = "the model has a pole of its own"
    elif (
        solution
        and departure > 1e-9
        and departure > 5 * oracle.explained((truth, model), list(domain))
    ):
        fault = f"the functions are {float(departure):.2g} of the range apart"
    elif solution and verdict.proof == "symbolic" and (departure > EQUAL or category == "spike"):
        fault = "the proof is of functions that differ"
    sentence = f"{pair}: {fault}, the verdict is {verdict.kind} ({verdict.proof}): {verdict.detail}"
    return category, verdict.kind, sentence if fault else None


def main() -> int:
    """Judge the pairs in parallel, print counts and false verdicts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first pair")
    arguments = parser.parse_args()
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    faults = 0
    with ProcessPoolExecutor() as pool:
        numbers = range(arguments.first, arguments.first + arguments.pairs)
        for category, kind, fault in pool.map(
            partial(judge, arguments.seed), numbers, chunksize=20
        ):
            counts[category, kind] += 1
            if fault:
                faults += 1
                print(fault, flush=True)
    for (category, kind), count in sorted(counts.items()):
        print(f"{category:10} {kind:10} {count:6}")
    print(f"{arguments.pairs} pairs, {faults} false verdicts")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
