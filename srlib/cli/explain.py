"""`srlib explain`: what a key of a rules, problem, suite or method file, a parameter or a column means."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic import BaseModel

KINDS = {
    "str": "text",
    "int": "whole number",
    "Int": "whole number",
    "float": "number",
    "bool": "true or false",
}
COLUMNS = {  # of a run table
    "method": "whose run it is",
    "dataset": "as the problem file calls it; NAME@LEVEL where noise of that level was added",
    "repetition": "number of the run of this method on this dataset",
    "model": "the formula, in the features' names or by position; empty where the run failed",
    "status": "ok, failed, timeout, memory or crashed; else ok where there is a model",
    "reason": "why a run failed",
    "seed": "of the run",
    "data_seed": "picks the file or split of the data; else the seed, else the repetition",
    "r2_train": "as the method reports it; computed anew where there are data",
    "r2_test": "as the method reports it; computed anew where there are data",
    "complexity_raw": "as the method reports it; counted anew from the model",
    "training_time_s": "seconds of training",
    "target_noise": "share of the target's variance that is noise",
    "time_limit_s": "seconds that the run was allowed",
    "predictions": "file of the values on the test rows, one a line; relative to the table",
    "method_version": "version of the method",
    "budget": "what the run was allowed, as JSON",
    "candidate": "number of the model, where a run has several; the smallest counts",
    "chosen": "marks the model that counts, where a run has several",
    "names": "how the model names features: features (by their names), x0 or x1 (by position, counted from)",
}


def explain(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY",
            help="A key, such as ties or data.train; or rules, problems, suites, methods, layouts, notebooks or "
            "columns (of run tables).",
        ),
    ],
) -> None:
    """Say what a key of a file means, which values it may have, and its default.

    Examples
    --------
    srlib explain ties
    srlib explain problems
    """
    import difflib

    from srlib.errors import InputError

    known = [(kind, *one) for kind, model in models().items() for one in explained(model)]
    known += [("notebooks", *one) for one in parameters()]
    known += [("columns", *one) for one in columns()]
    kinds = [*models(), "notebooks", "columns"]
    if key in kinds:
        found = [one for one in known if one[0] == key]
    else:
        found = [one for one in known if f".{one[1]}".endswith(f".{key}")]
    if not found:
        last = sorted({path.rpartition(".")[2] for _, path, *_ in known})
        near = difflib.get_close_matches(key, last, 5) or kinds
        raise InputError(f"{key}: no key of any file has this name; try {', '.join(near)}")
    for kind, path, what, meaning in found:
        typer.echo(f"{kind}: {path} ({what})\n    {meaning}")


def explained(model: type[BaseModel]) -> Iterator[tuple[str, str, str]]:
    """Give every key of a kind of file, what it may be, and what it means."""
    for path, field in keys_of(model):
        default = field.get_default(call_default_factory=True)
        needed = "needed" if field.is_required() else f"else {_text(default)}"
        yield path, f"{allowed(field.annotation)}; {needed}", str(field.description)


def columns() -> Iterator[tuple[str, str, str]]:
    """Give every column of a run table that has a meaning, what it holds, and what it means."""
    from srlib.tables import RUNS

    for name, kind in RUNS.columns.items():
        needed = "needed" if name in RUNS.required else "may be left out"
        yield name, f"{KINDS[kind]}; {needed}", COLUMNS[name]


def parameters() -> Iterator[tuple[str, str, str]]:
    """Give every parameter of the shipped notebooks as NOTEBOOK.NAME, its type and default, and its comment."""
    import ast
    import io
    import json
    import tokenize

    from srlib.files import NOTEBOOKS

    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        tagged = [c for c in cells if "parameters" in c["metadata"].get("tags", [])]
        source = "".join(tagged[0]["source"]) if tagged else ""
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        comments = {t.start[0]: t.string[1:].strip() for t in tokens if t.type == tokenize.COMMENT}
        for node in ast.parse(source).body:
            if not isinstance(node, ast.AnnAssign) or node.value is None:
                continue
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            said = " ".join(comments[line] for line in lines if line in comments)
            what = f"{ast.unparse(node.annotation)}; else {ast.unparse(node.value)}"
            yield f"{path.stem}.{ast.unparse(node.target)}", what, said


def models() -> dict[str, type[BaseModel]]:
    """Get what each kind of file is made of."""
    from srlib.problems.manifest import Manifest
    from srlib.readers.layout import Layout
    from srlib.recording.methods import MethodFile
    from srlib.rendering.suite import SuiteFile
    from srlib.rules import Rules

    return {
        "rules": Rules,
        "problems": Manifest,
        "suites": SuiteFile,
        "methods": MethodFile,
        "layouts": Layout,
    }


def keys_of(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key of a kind of file, with its place, and its declaration."""
    from srlib.problems.formula import Recipe
    from srlib.problems.manifest import Data

    for name, field in model.model_fields.items():
        path = above + (field.alias or name)
        yield path, field
        inner = Recipe
        if not (model is Data and name == "arguments"):
            inner = _model_in(field.annotation)
        if inner is not None:
            yield from keys_of(inner, f"{path}.")


def allowed(annotation: Any) -> str:
    """Write what a key may be: the words, or the kind of value.

    Examples
    --------
    >>> allowed(Literal["mean", "median"] | None), allowed(tuple[str, ...]), allowed(dict[str, float])
    ('mean | median | null', 'list', 'mapping')
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(map(_text, parts))
    if origin is Annotated:
        return allowed(parts[0])
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(allowed, parts)))
    kinds = {
        str: "text",
        int: "whole number",
        float: "number",
        bool: "true | false",
        Any: "anything",
    }
    kinds |= {tuple: "list", list: "list", dict: "mapping", type(None): "null"}
    return kinds.get(origin or annotation, "mapping")


def _text(value: Any) -> str:
    if isinstance(value, BaseModel):
        return "its defaults"
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, tuple | list | dict):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
