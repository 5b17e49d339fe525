"""requirements.lock and environment.yml say the same as pyproject.toml, and name no address."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec

from srlib.yaml_files import load_yaml

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
ALL = [Requirement(text) for texts in (PROJECT["dependencies"], *EXTRAS.values()) for text in texts]
WANTED = [requirement for requirement in ALL if requirement.name != "srlib"]
ENVIRONMENT = load_yaml(CHECKOUT / "environment.yml")


def locked() -> list[tuple[Requirement, str]]:
    """The requirements of the lock, each with the text of its hashes."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", LOCK, flags=re.MULTILINE))
    parts = (line.partition("--hash") for line in joined.splitlines() if line.strip())
    return [(Requirement(text), mark + hashes) for text, mark, hashes in parts]


def conda() -> tuple[list[MatchSpec], list[Requirement]]:
    """What environment.yml takes from conda channels, and what from pip."""
    entries = ENVIRONMENT["dependencies"]
    pip = next(entry["pip"] for entry in entries if isinstance(entry, dict))
    specs = [MatchSpec(entry, strict=True) for entry in entries if isinstance(entry, str)]
    return specs, [Requirement(entry) for entry in pip if not entry.startswith("-")]


def test_the_lock_names_no_address():
    body = re.sub(r"^#.*", "", LOCK, flags=re.MULTILINE)
    assert (
        re.search(r"://|^\s*-(?!-hash=sha256:[0-9a-f]{64}( \\)?$)| @ ", body, flags=re.MULTILINE)
        is None
    )


def test_everything_in_the_lock_has_one_version_and_hashes():
    for requirement, hashes in locked():
        assert [s.operator for s in requirement.specifier] == ["=="], requirement
        assert re.fullmatch(r"(--hash=sha256:[0-9a-f]{64}\s*)+", hashes), requirement


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.name)
def test_the_lock_satisfies_pyproject(wanted):
    versions = [
        next(iter(requirement.specifier)).version
        for requirement, _ in locked()
        if canonicalize_name(requirement.name) == canonicalize_name(wanted.name)
    ]
    assert versions, f"{wanted.name} is not in requirements.lock: run make lock"
    assert all(wanted.specifier.contains(version, prereleases=True) for version in versions)


def test_a_wheel_holds_every_package():
    stated = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {path.parent for path in (CHECKOUT / "srlib").rglob("__init__.py")}
    names = {".".join(folder.relative_to(CHECKOUT).parts) for folder in folders}
    shipped = {"srlib.shipped.notebooks", "srlib.shipped.parameters"}
    assert set(stated["tool"]["setuptools"]["packages"]) == names | shipped
