"""Random pairs of truth and model, their verdicts, and an oracle with 60 digits that does not use srlib.

    python -m tests.fuzz.verdicts --pairs 10000 --seed 0

A pair is a random formula and one of: an exact rewriting up to a constant, a near miss, a formula with steps, a spike
on top of the truth, a pole on top of the truth, a large offset of truth or model, a moved threshold, a moved constant
that is gathered with others. A verdict is false when

- it calls a rewriting different, or a constant, or a model whose constants moved within their tolerance;
- it calls a model a solution that is further from the truth than moved constants can explain, or that has a pole
  inside the domain where the truth has none;
- it calls a proof symbolic where the values with 60 digits differ.

`unknown` is never false; its share is printed. Exit status 1 when a verdict is false.
"""

import collections
import random
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial

import mpmath
import typer

from srlib.expressions import compare, parse
from srlib.expressions.evidence import SOLUTIONS
from tests.expressions.cases import cells

mp = mpmath.MPContext()
mp.dps = 60

POINTS = 40
BESIDE = 5  # points beside a moved step
MOVED = (
    "offset",
    "threshold",
    "gathered",
)  # categories in which constants may move within their tolerance alone
EQUAL = mp.mpf(10) ** -40  # relative difference of equal functions at 60 digits
LARGEST = mp.mpf(10) ** 15  # value that is looked at, and argument of a periodic function
[PERIODIC] = cells("cos  cot  csc  sec  sin  tan")
DOMAINS = ((1.0, 5.0), (-3.0, 3.0), (0.1, 2.0), (-5.5, 4.5))
[CATEGORIES] = cells(
    "rewriting  rewriting  near miss  near miss  steps  spike  pole  offset  threshold  gathered"
)
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
CONSTANT = re.compile(r"(?<![\w.])(?<!\*\*)\d+(?:\.\d+)?")  # no exponent
TOKEN = re.compile(rf"{CONSTANT.pattern}|[a-z]+|(?<= )[+-](?= )|(?<!\*)\*(?!\*)")

# a formula of operands, and the same function written otherwise
REWRITINGS = {
    row[0]: row[1:]
    for row in cells("""
        ({} + {})       ({1} + {0})
        ({} - {})       ({0} + (-{1}))     (-({1} - {0}))
        ({}*{})         ({1}*{0})
        ({}*({} + {}))  ({0}*{1} + {0}*{2})
        ({}/{})         ({0}*(1/{1}))
        ({}**2)         ({0}*{0})          (abs({0})**2)
        sin({})         cos(pi/2 - {0})    (-sin(-{0}))
        cos({})         cos(-{0})          (1 - 2*sin({0}/2)**2)
        exp({})         (1/exp(-{0}))      (exp({0}/2)**2)
        abs({})         sqrt({0}**2)       max({0}, -{0})
        sqrt({})
        log({})
        tanh({})
        (-{})
    """)
}
[ANYWHERE] = cells(
    "({whole} + {name} - {name})  ({whole}*{name}/{name})  ({whole} + 0)  (-(-{whole}))"
)
[SHIFTS] = cells("{}  ({} + 3.7)  ({} + 0.412)  (-0.5*{})  (2.71*{})  (100*{})")
[NAMES, OTHERS] = cells("""
    sin  cos  tanh  exp  log   +  -  *
    cos  sin  sin   sin  sqrt  -  +  +
""")
SWAPS = dict(zip(NAMES, OTHERS, strict=True))
STEPS = cells("""
    (floor({0}) + 1)      ceil({0})
    ({0} > {1})           (1 - ({0} <= {1}))
    ({0} > {1})           (2*{0} > 2*{1})
    max({0}, {1})         (({0} + {1} + abs({0} - {1}))/2)
    max({0} - {1}, 0)     max({0} - {1}, 0)
    (sign({0})*abs({0}))  {0}
    mod({0}, 1)           ({0} - floor({0}))
""")
[POLES] = cells(
    "tan({0}*x)  sec({0}*x)  csc({0}*x)  cot({0}*x)  1/mod({0}*x, 1)  1/(x - ({1}))  gamma(-x)"
)

# a formula with a large number in it, which is the same up to an additive constant
OFFSETS = sum(
    cells("""
    ({0} + {1})  ({0} - {1})  ({0} + {1}*cos(0*x))  ({0} + {1}*exp(x - x))  ({1}*({0}/{1} + 1))
    (({0} + {1}) - {1}/2)  (2*({0}/2 + {1}))  ({0} + exp(log({1})))  ({0} - {1}**0.9)
"""),
    [],
)
# a difference that a few percent of the points show
[HIDDEN] = cells("""
    3*max(0, x - ({0}))  0.5*max(0, x - ({0}))  2*(x > {0})  0.3*sqrt(max(0, x - ({0})))
""")
# a step of size {2} at {0}*x = {1}
EDGES = sum(
    cells("""
    where({0}*x > {1}, {2}, 0)  ({2}*({0}*x > {1}))  ({2}*({1} < {0}*x))  ({2} - {2}*({0}*x <= {1}))
    ({2}*(sign({0}*x - ({1})) + 1)/2)  ({2}*({0}*x - ({1}) > 0))
"""),
    [],
)
[ROUNDINGS] = cells("""
    floor({0}*x + {1})  ceil({0}*x + {1})  round({0}*x + {1})  floor(floor({0}*x + {1})/2)
""")
# two numbers that are gathered with others, in ways of writing that are the same function of x and a formula {2}
GATHERED = cells("""
    ({2}/({1}*x + {0}))          ({2}/{1}/(x + {0}/{1}))
    ({2}*exp(x/{0} + {1}/100))   (exp({1}/100)*{2}*exp(1/{0}*x))
    ({2}*log({1}*abs(x) + {0}))  ({2}*(log({1}) + log(abs(x) + {0}/{1})))
    ({2}*(x/{0} + {1})**2)       ({2}*(x + {0}*{1})**2/{0}**2)
    ({2}*sqrt({0} + abs(x)/{1})) ({2}*sqrt({0}*{1} + abs(x))/sqrt({1}))
    ({2}*{1}**(x/{0}))           ({2}*exp(log({1})*x/{0}))
    (((9/{1})*x + {0})*{2})      (9/{1}*(x + {0}*{1}/9)*{2})
    ({2}/((9/{1})*x + {0}))      ({2}*{1}/(9*x + {0}*{1}))
    ({2}*sin(x*{1}/{0} + 0.3))   ({2}*cos(pi/2 - 0.3 - {1}/{0}*x))
    ({2}*floor(x/{0}*{1}))       ({2}*floor({1}*x/{0}))
""")
QUOTIENT = re.compile(r"(?<![\w.*/])(\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)(?![\d.]|\*\*)")
HALF_UNIT = 0.0005  # of the last of three decimals
MOST_SHARE = 0.005  # of itself that a constant may move


def real(name):
    """A function of 60 digits that fails where its value is complex, and where it has no digits: cos(10**100)."""
    function = getattr(mp, name, abs)

    def value(*arguments):
        if name in PERIODIC and abs(arguments[0]) > LARGEST:
            raise ValueError
        return mp.mpf(function(*arguments))

    return value


[FUNCTIONS] = cells(
    "abs  ceil  exp  floor  gamma  log  sign  sqrt  tanh  cos  cot  csc  sec  sin  tan"
)
MEANINGS = {name: real(name) for name in FUNCTIONS} | {
    "max": max,
    "min": min,
    "mod": lambda a, b: a - b * mp.floor(a / b),
    "pi": mp.pi,
    "mpf": mp.mpf,
    "where": lambda condition, a, b: a if condition else b,
}


@lru_cache(maxsize=256)
def compile_text(text):
    return compile(NUMBER.sub(r"mpf('\g<0>')", text), "<formula>", "eval")


def values_of(text, points):
    """Values of a formula with 60 digits, None where it is undefined or huge."""
    values = []
    for point in points:
        try:
            value = mp.mpf(eval(compile_text(text), MEANINGS, point))  # a text of this file
        except (ArithmeticError, ValueError, TypeError):
            value = mp.inf
        values.append(value if abs(value) < LARGEST else None)
    return values


def draw_constant(rng):
    whole, tenths, thousandths = rng.randrange(1, 10), rng.uniform(0.1, 10), rng.uniform(0.1, 3)
    return rng.choice([str(whole), f"{tenths:.1f}", f"{thousandths:.3f}"])


def draw_formula(rng, names, depth):
    """Draw a formula, and the same function written otherwise at some of its nodes."""
    if depth == 0 or rng.random() < 0.15:
        text = rng.choice(names) if rng.random() < 0.65 else draw_constant(rng)
        return text, text
    template = rng.choice(list(REWRITINGS))
    operands = [draw_formula(rng, names, depth - 1) for _ in range(template.count("{}"))]
    plain, others = zip(*operands, strict=True)
    whole = template.format(*others)
    if rng.random() < 0.5:
        choice = rng.choice(REWRITINGS[template] * 3 + ANYWHERE)
        whole = choice.format(*others, whole=whole, name=rng.choice(names))
    return template.format(*plain), whole


def miss(rng, text, names):
    """Change a formula somewhere, or add a small term; the oracle says whether it is still the same function."""
    tokens = list(TOKEN.finditer(text))
    if rng.random() < 0.4 or not tokens:
        term = rng.choice([names[-1], f"sin(30*{names[0]})", f"{names[-1]}**2"])
        return f"({text} + {rng.choice(['0.003', '0.01', '0.1', '1'])}*{term})"
    token = rng.choice(tokens)
    other = SWAPS.get(token[0], token[0])
    if token[0] in names:
        other = rng.choice([*names, draw_constant(rng), f"{token[0]}**2"])
    elif token[0][0].isdigit():
        other = f"{float(token[0]) * rng.choice([0.5, 0.9, 0.97, 1.03, 1.2, 2.0]):.6f}"
    return text[: token.start()] + other + text[token.end() :]


def draw_number(rng, low, high):
    """Draw a number with one to three decimals."""
    return f"{rng.uniform(low, high):.{rng.randrange(1, 4)}f}"


def move(rng, number, equal):
    """Move a number within its tolerance, or well beyond it: by the share that no constant may move."""
    value, sign = float(number), rng.choice([-1, 1])
    within, beyond = rng.uniform(0, min(0.0003, 0.004 * abs(value))), max(0.01, 0.0046 * abs(value))
    room = within if equal else beyond
    return f"{value + sign * room:.9f}"


def draw_offset(rng, truth, model, domain):
    """Put a large number into truth, model or both; the model may differ where few points show it."""
    low, high = domain["x"]
    equal = rng.random() < 0.5
    if not equal:
        edge = f"{low + rng.uniform(0.8, 0.97) * (high - low):.3f}"
        model = f"({truth} + {rng.choice(HIDDEN).format(edge)})"
    large = [f"{10 ** rng.uniform(2, 14):.3f}" for _ in range(2)]
    side = rng.randrange(3)
    if side != 1:
        model = rng.choice(OFFSETS).format(model, large[0])
    if side:
        truth = rng.choice(OFFSETS).format(truth, large[1])
    return truth, model, equal


def draw_threshold(rng, names, domain):
    """Draw a formula with a step, and the same with the step moved, and the place of the step."""
    low, high = domain["x"]
    base, size = (draw_formula(rng, names, rng.randrange(1, 3))[0] for _ in range(2))
    equal = rng.random() < 0.5
    rate = draw_number(rng, 0.5, 4)
    if rng.random() < 0.3:
        shift = draw_number(rng, 0.3, 3)
        template = rng.choice(ROUNDINGS)
        numbers = (
            (move(rng, rate, equal), shift)
            if rng.random() < 0.5
            else (rate, move(rng, shift, equal))
        )
        truth, model = (f"({base} + {template.format(*n)})" for n in ((rate, shift), numbers))
        return truth, model, equal, None
    edge = f"{float(rate) * (low + rng.uniform(0.2, 0.8) * (high - low)):.3f}"
    moved = move(rng, edge, equal)
    truth, model = (
        f"({base} + {rng.choice(EDGES).format(rate, number, size)})" for number in (edge, moved)
    )
    place = None if equal else (float(edge) + float(moved)) / 2 / float(rate)
    return truth, model, equal, place


def draw_gathered(rng, names):
    """Draw a formula in which two numbers are gathered with others, and the same with one moved."""
    size = draw_formula(rng, names, rng.randrange(1, 3))[0]
    ways = rng.choice(GATHERED)
    numbers = [
        draw_number(rng, *rng.choice([(0.5, 9), (9, 90), (90, 500)])),
        draw_number(rng, 1.2, 9),
    ]
    equal, moved = rng.random() < 0.5, [*numbers]
    place = rng.randrange(2)
    moved[place] = move(rng, numbers[place], equal)
    truth, model = rng.choice(ways).format(*numbers, size), rng.choice(ways).format(*moved, size)
    if rng.random() < 0.5:
        model = QUOTIENT.sub(lambda m: f"{float(m[1]) / float(m[2]):.14f}", model)
    return truth, model, equal


def draw_pair(rng):
    """Draw a category, a truth, a model, a domain, whether both are equal, numbers that may move, and a place in x.

    The numbers are those of a formula in the truth; the place is where the values of a moved step differ.
    """
    names = ["x", "y", "z"][: rng.randrange(1, 4)]
    domain = {name: rng.choice(DOMAINS) for name in names}
    category, (low, high) = rng.choice(CATEGORIES), domain["x"]
    truth, model = draw_formula(rng, names, rng.randrange(2, 5))
    bare, place = truth, None
    equal = category == "rewriting"
    if category == "rewriting":
        model = rng.choice(SHIFTS).format(model)
    elif category == "near miss":
        model = miss(rng, rng.choice([truth, model]), names)
    elif category == "steps":
        inner = rng.choice(["x", "(2*x)", draw_formula(rng, names, 2)[0]])
        factor = rng.choice(["1", draw_formula(rng, names, 2)[0]])
        edge = draw_constant(rng)
        truth, model = (f"({factor}*{step.format(inner, edge)})" for step in rng.choice(STEPS))
        equal = rng.random() < 0.7
        if not equal:
            model = miss(rng, model, names)
    elif category == "spike":
        narrow = f"mod({rng.randrange(100, 2000)}*x, 1)"
        spike = rng.choice([f"2*({narrow} > 0.9999)", f"100000*max(0, {narrow} - 0.9999)"])
        model = f"({truth} + {spike})"
    elif category == "offset":
        truth, model, equal = draw_offset(rng, truth, model, domain)
    elif category == "threshold":
        truth, model, equal, place = draw_threshold(rng, names, domain)
    elif category == "gathered":
        truth, model, equal = draw_gathered(rng, names)
    else:
        rate = f"{rng.uniform(7, 20) / (high - low):.3f}"
        middle = f"{low + rng.uniform(0.2, 0.8) * (high - low):.3f}"
        size = rng.choice(["0.00001", "0.0001", "0.001"])
        model = f"({truth} + {size}*{rng.choice(POLES).format(rate, middle)})"
    if category in ("threshold", "gathered") and rng.random() < 0.2:
        model = rng.choice(OFFSETS).format(model, f"{10 ** rng.uniform(2, 14):.3f}")
    written = bare if category == "offset" else truth
    return category, truth, model, domain, equal, written, place


def departure_of(truth, model):
    """Smallest over identical, offset and scale of the largest difference, in shares of the truth's range."""
    pairs = list(zip(truth, model, strict=True))
    offset = sum(m - t for t, m in pairs) / len(pairs)
    scale = sum(t * m for t, m in pairs) / sum(t * t for t in truth)
    size = max(truth) - min(truth)
    shifts = [(scale, 0)] * (abs(scale) > 1e-6) + [(1, 0), (1, offset)]
    return min(max(abs(m - a * t - b) / (abs(a) * size) for t, m in pairs) for a, b in shifts)


def explained_by(text, values, points, numbers, move):
    """How far the numbers of a text that a pattern finds, each moved alone, take it: shares of its range, summed."""
    total, size = mp.mpf(0), max(values) - min(values)
    for number in numbers.finditer(text):
        moved = f"{move(number[0]):.9f}"
        changed = values_of(text[: number.start()] + moved + text[number.end() :], points)
        if None in changed:
            return mp.inf
        total += max(abs(c - v) for c, v in zip(changed, values, strict=True)) / size
    return total


def explained_by_constants(text, values, points):
    """How far constants of a formula take it if they move by 1% and 0.001."""
    return explained_by(text, values, points, CONSTANT, lambda text: float(text) * 1.01 + 0.001)


def explained_by_tolerance(text, values, points):
    """How far the numbers of a text and a 1 before its features take it within their tolerance."""
    text = re.sub(r"(?<![a-z])([xyz])(?![a-z])", r"(1*\1)", text)
    return explained_by(text, values, points, NUMBER, move_within_tolerance)


def move_within_tolerance(text):
    """Move a number as printed by its tolerance: half a unit of its last decimal if it has three digits."""
    half = HALF_UNIT
    if len(text.replace(".", "").strip("0")) == 3:
        half = max(half, 0.5 * 10.0 ** -len(text.partition(".")[2]))
    return float(text) + min(half, MOST_SHARE * float(text))


def are_usable(truth, model):
    """Whether truth and model are defined at all points, vary, and have values of ordinary size."""
    if None in truth or None in model:
        return False
    sizes = [max(map(abs, values)) for values in (truth, model)]
    ranges = [max(values) - min(values) for values in (truth, model)]
    varied = len({mp.nstr(value, 10) for value in truth}) > POINTS // 3
    is_constant = any(r <= 1e-3 * size for r, size in zip(ranges, sizes, strict=True))
    return varied and not is_constant and 1e-3 < max(sizes) < 1e6


def judge(seed, number):
    """Category and verdict of one pair, and what is false about it."""
    rng = random.Random(f"{seed}/{number}")
    while True:
        category, truth, model, domain, equal, written, place = draw_pair(rng)
        points = [
            {name: mp.mpf(rng.uniform(*ends)) for name, ends in domain.items()}
            for _ in range(POINTS)
        ]
        if place is not None:
            points += [point | {"x": mp.mpf(place)} for point in points[:BESIDE]]
        values = [values_of(text, points) for text in (truth, model)]
        core = values_of(written, points)
        if None not in [*values[0], *values[1], *core] and are_usable(
            core, core if category in MOVED else values[1]
        ):
            break
    formulas = [parse(text, list(domain)) for text in (truth, model)]
    verdict = compare(*formulas, domain)
    departure, is_solution, fault = departure_of(*values), verdict.kind in SOLUTIONS, ""
    if not is_solution:
        if (
            equal
            and (departure < EQUAL or category in ("threshold", "gathered"))
            and verdict.kind in ("different", "constant")
        ):
            fault = "the functions are equal"
    elif category == "pole":
        fault = "the model has a pole of its own"
    elif verdict.proof == "symbolic" and (departure > EQUAL or category == "spike"):
        fault = "the proof is of functions that differ"
    elif category in MOVED:
        if departure > 1e-9 and departure > 3 * explained_by_tolerance(written, core, points):
            fault = f"the functions are {float(departure):.2g} of the range apart"
    elif departure > 1e-9:
        explained = map(explained_by_constants, (truth, model), values, [points] * 2)
        if departure > 5 * sum(explained):
            fault = f"the functions are {float(departure):.2g} of the range apart"
    pair = f"pair {number}, {category}: truth {truth}, model {model}, domain {domain}"
    sentence = f"{pair}: {fault}, the verdict is {verdict.kind} ({verdict.proof}): {verdict.detail}"
    return category, verdict.kind, sentence if fault else None


def main(pairs: int = 1000, seed: int = 0):
    """Judge the pairs in parallel, print counts and false verdicts."""
    with ProcessPoolExecutor() as pool:
        judged = list(pool.map(partial(judge, seed), range(pairs), chunksize=20))
    faults = [fault for *_, fault in judged if fault]
    counts = collections.Counter(f"{category:10} {kind:10}" for category, kind, _ in judged)
    lines = [f"{key} {count:6}" for key, count in sorted(counts.items())]
    print(*faults, *lines, f"{len(judged)} pairs, {len(faults)} false verdicts", sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    typer.run(main)
