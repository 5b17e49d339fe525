"""Tables for print: what fits where, what is left out and counted, and that TeX sets every one of them."""

import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from srlib.displays.styling import Style
from srlib.displays.tables import print_table as rule
from srlib.displays.tables.print_table import PREAMBLE, print_table
from srlib.displays.tables.table import Table
from tests.builders import each

CLASSES = {
    "two columns": r"\documentclass[journal]{IEEEtran}",
    "one column": r"\documentclass{article}\usepackage[textwidth=7.16in,textheight=9.3in]{geometry}",
}
WORDS = r"""
}%|\input{/etc/passwd}|a#1$^_~&|[1]|*|  [x|é ü ñ Ł ø|αβγ Ω λ_1|中文方法|кириллица|😀|--- `` ''|<b>|=cmd()|\|a\\b|$
{|?`|_|x|naïve—“quoted”|ế|µ²³⁻¹ ½ ﬁ|ẞ đ þ|#########################|WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW|a word and two
"""
WORDS = ["", "x\ty", "e\u0301", "m" * 30, "m" * 300, *WORDS.strip().replace("\n", "|").split("|")]
TREES = r"""
sin(@)|sqrt(@)|abs(@)|(@)**2|(@)**(1/3)|-(@)|cbrt(@)|max(@, @)|(@)/(@)|(@) + (@)|(@) - (@)|(@)*(@)|(@)**(@)|floor(@)
where(@ < 0, @, @)|div(@, @)|1/(@)|123.456789|x1|x_WWWWWWWWWWWWWWWWWWWW|lambda|`cell size`|`température 质量 of it`
"""
TREES = TREES.strip().replace("\n", "|").split("|")


def random_model(generator, depth):
    """A model of a depth at most."""
    tree = generator.choice(TREES if depth else TREES[-5:])
    while "@" in tree:
        tree = tree.replace("@", random_model(generator, depth - 1), 1)
    return tree


def random_table(generator):
    """A table with the column `id`, whose cells are r00., r01., and columns whose headings begin with c00., c01.."""
    n_rows, n_columns = generator.integers(1, 61), generator.integers(1, 31)
    words = lambda count: list(generator.choice(WORDS, count))  # noqa: E731
    columns = {"id": [f"r{row:02d}. {word}" for row, word in enumerate(words(n_rows))]}
    kinds = {}
    for number in range(n_columns):
        name = f"c{number:02d}. {words(1)[0]}"
        kinds[name] = kind = generator.choice(["number", "integer", "p", "model", "word", "header"])
        numbers = generator.normal(size=n_rows) * 10.0 ** generator.integers(-6, 12)
        columns[name] = {
            "number": np.where(generator.random(n_rows) < 0.1, np.nan, numbers),
            "integer": generator.integers(-(10**6), 10**12, n_rows),
            "p": 10.0 ** -generator.integers(0, 40, n_rows),
            "model": [random_model(generator, generator.integers(0, 7)) for _ in range(n_rows)],
            "word": generator.choice(words(3), n_rows),
            "header": [" ".join(words(9)) for _ in range(n_rows)],
        }[kind]
    return Table(
        pd.DataFrame(columns),
        marked=range(0, n_rows, 7),
        lower=bool(generator.integers(2)),
        equations=[name for name, kind in kinds.items() if kind == "model"],
        shaded=[name for name, kind in kinds.items() if kind == "number" and n_columns % 2],
        row_headers=int(generator.integers(1, 5)),
    )


def compile_faults(latex, folder, head, tables):
    """Lines of pdflatex about errors, boxes that are wider by 1 pt, floats that are too large, and missing letters."""
    body = "\n\\clearpage\n".join(tables)
    document = f"{head}\n{PREAMBLE}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(document)
    command = [latex, "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    log = subprocess.run(command, cwd=folder, capture_output=True).stdout.decode("utf8", "replace")
    faults = re.findall(r"^!.*|.*Float too large.*|^Missing character.*", log, re.MULTILINE)
    wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)
    return faults + [f"{points} pt too wide" for points in wide if float(points) > 1]


def parts_of(text):
    """Caption, lines of the heads, and lines of the rows of the first part."""
    bodies = re.findall(r"\\toprule\n(.*?)\n\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
    caption = re.search(r"\\caption\{(.*)\}\\label", text)[1]
    return caption, [head for head, _ in bodies], bodies[0][1].splitlines()


def check_counts(table, text):
    """Check that the rows and columns of a table stand in its LaTeX, or that the caption counts them."""
    caption, heads, rows = parts_of(text)
    counts = re.findall(r"the first ([\d,]+) of ([\d,]+) (rows|columns)", caption)
    counts = {kind: (int(n), int(total)) for n, total, kind in counts}
    n_rows, total = counts.get("rows", (len(table.frame), len(table.frame)))
    assert total == len(table.frame) and re.findall(r"r(\d\d)\.", "".join(rows)) == [
        f"{row:02d}" for row in range(n_rows)
    ]
    n_columns, total = counts.get("columns", (len(table.frame.columns),) * 2)
    numbers = {int(number) for number in re.findall(r"c(\d\d)\.", "".join(heads))}
    assert total == len(table.frame.columns) and numbers == set(range(n_columns - 1))
    assert re.search(r"\\fontsize\{[78]\}", text) and r"\frac" not in text
    assert n_rows >= min(5, len(table.frame)) or len(heads) == 1


@pytest.mark.slow
@each("name seed", "two columns | 1\none column | 2")
def test_any_table_is_set_within_its_page_and_says_what_it_leaves_out(latex, tmp_path, name, seed):
    generator = np.random.default_rng(int(seed))
    tables = [random_table(generator) for _ in range(40)]
    texts = [print_table(table, generator.choice(WORDS), label="t") for table in tables]
    for table, text in zip(tables, texts, strict=True):
        check_counts(table, text)
    assert compile_faults(latex, tmp_path, CLASSES[name], texts) == []


@pytest.mark.slow
@pytest.mark.parametrize("head", CLASSES.values())
def test_each_form_and_each_hostile_name_is_set_within_its_page(latex, tmp_path, head):
    """Also full columns of each letter, and a table as wide as each form allows."""
    rows = pd.DataFrame({"dataset": WORDS, "model": "a/b"})
    tables = [
        rows,
        pd.DataFrame(),
        pd.DataFrame({"a": []}),
        *(rows.rename(columns={"model": word}) for word in WORDS),
    ]
    for letter in map(chr, range(33, 127)):
        for width in (250, 510):
            count = int(width / 8 / rule.width_of(letter)) - 1
            tables.append(pd.DataFrame({"a": [letter * count]}))
    for size in range(2, 40, 3):
        tables.append(pd.DataFrame(np.full((3, size), -12.345)).rename(columns="column {}".format))
    texts = [print_table(table, "All", label="t") for table in tables]
    assert compile_faults(latex, tmp_path, head, texts) == []


def cells(frame, **layout):
    """Rows of a table, each as a list of cells."""
    _, _, rows = parts_of(print_table(Table(pd.DataFrame(frame), **layout), "C", label="t"))
    return [re.sub(r" ?\\\\.*", "", row).split(" & ") for row in rows]


@each("form columns", "{table}.{8} | 6\n{table}.{7} | 7\n{table*}.{8} | 13\n{table*}.{7} | 15")
def test_first_form_that_fits_is_taken(form, columns):
    frame = pd.DataFrame(np.full((3, int(columns)), 123.5)).rename(columns="c{}".format)
    text = print_table(frame, "C", label="t")
    place, size = form.split(".")
    assert rf"\begin{place}" in text and rf"\fontsize{size}" in text and "rotatebox" not in text


def test_headings_of_numbers_turn_before_texts_wrap_and_parts_come_last():
    turned = pd.DataFrame(np.full((3, 14), 1.5)).rename(columns="longheading{}".format)
    text = print_table(turned, "C", label="t")
    assert text.count(r"\rotatebox{90}{longheading") == 14 and "p{" not in text
    wrapped = print_table(pd.DataFrame({"a": ["word " * 60] * 6, "b": [1] * 6}), "C", label="t")
    assert r"\raggedright\arraybackslash}p{" in wrapped and r"\begin{table}" in wrapped
    parts = pd.DataFrame(
        {"team": ["A", "B"]} | {f"n{i}": ["some words here"] * 2 for i in range(14)}
    )
    _, heads, _ = parts_of(print_table(parts, "C", label="t"))
    assert len(heads) > 1 and all(head.startswith("team & ") for head in heads)


def test_caption_counts_what_a_page_has_no_room_for():
    text = print_table(pd.DataFrame({"n": range(640)}), "Scores: all", label="t")
    caption, _, rows = parts_of(text)
    assert caption == f"Scores: all; the first {len(rows)} of 640 rows" and 50 < len(rows) < 60
    many = pd.DataFrame({f"t{i}": ["word " * 90] * 9 for i in range(60)})
    caption, heads, rows = parts_of(print_table(many, "C", label="t"))
    assert re.match(r"C: the first (\d+) of 60 columns and the first [5-8] of 9 rows$", caption)


@each("lower best", "False | 4.000\nTrue | 2.000")
def test_best_of_a_row_is_bold_and_has_the_shade_of_the_page(lower, best):
    frame = {"on": ["a", "b"], "x": [2.0, 0.0], "y": [4.0, np.nan], "z": [2.0, 9.0]}
    first, second = cells(frame, shaded=["x", "y"], lower=lower == "True")
    bold = [cell for cell in first if "textbf" in cell]
    assert len(bold) == 1 and best in bold[0] and first[3] == "2.000"
    shades = [int(cell.split("srlib")[1][0]) for cell in (*first[1:3], second[1])]
    assert shades == ([5, 1, 9] if lower == "True" else [5, 9, 1])
    assert all(rf"\definecolor{{srlib{shade}}}" in PREAMBLE for shade in shades)


def test_marked_rows_are_bold_and_a_value_has_its_interval():
    frame = {
        "method": ["A", "[1]"],
        "effect": [0.93, 2.0],
        "effect_low": [0.85, np.nan],
        "effect_high": [0.97, 3],
    }
    frame |= {
        "p_value": [9.2e-22, 0.5],
        "rank_median": [1.0, 2.0],
        "rank_low": [1, 1],
        "rank_high": [3, 2],
    }
    first, second = cells(frame, marked=[1])
    assert first == ["A", "0.930 [0.850, 0.970]", r"$9.2\times10^{-22}$", "1.000 [1, 3]"]
    assert second == [rf"\textbf{{{text}}}" for text in ("{}[1]", "2.000", "0.500", "2.000 [1, 2]")]


def test_model_breaks_at_terms_and_a_wide_term_at_products_at_any_length():
    text = "0.451123*x1*x2 - 1.5*x1 + 0.1*x3**2/x1"
    [[short]] = cells({"model": [text]}, equations=["model"])
    assert (
        short
        == r"$0.4511 \, x_{1} \, x_{2}$ ${}- 1.5 \, x_{1}$ ${}+ \dfrac{0.1 \, x_{3}^{2}}{x_{1}}$"
    )
    long = "*".join(f"(sin(x{i}) + {i}.5)" for i in range(1, 150))
    [[product]] = cells({"model": [long]}, equations=["model"])
    assert r"x_{149}" in product and product.count(r"\allowbreak") > 100
    [[endless]] = cells(
        {"model": ["+".join(f"{i}.25*x{i}" for i in range(1, 900))]}, equations=["model"]
    )
    assert endless.endswith(r"$\cdots$") and r"x_{200}" in endless


def test_names_and_letters_are_printed_as_they_can_be(monkeypatch):
    monkeypatch.setattr(Style, "current", Style(names={"deap": "DEAP & co"}))
    names = {"method": ["deap", "中", "α--é"], "model": ["`质`*x", "no model (", None]}
    first, second, third = cells(names)
    assert first == [r"DEAP \& co", r"$\text{\textbackslash{}u8d28} \, x$"]
    assert second == [r"\textbackslash{}u4e2d", "no model ("] and third[0] == r"$\alpha$-{}-\'{e}"
