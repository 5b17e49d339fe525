"""What a rendered folder was made from, beside it: the suite and its own notebooks, runs, problems, rules and data."""

import os
import shutil
from importlib.metadata import distributions, version
from pathlib import Path

from srlib.files import NOTEBOOKS, PARAMETERS, write_atomically
from srlib.folders import result_folder
from srlib.rendering.provenance import input_files
from srlib.rendering.suite import Suite

README = """What {title} was made from. One command renders it again, into the folder reports:

    srlib report {suite} --out reports

On another machine first: pip install -r requirements.txt, and srlib {srlib} from its wheel or its source folder.
What the suite names without a path comes with srlib. The pages list the SHA-256 of every input.
"""


def write_bundle(suite: Suite, out: Path) -> None:
    """Copy a suite and all that it names by a path into OUT/bundle, where they lie as they lay here.

    The suite is copied as it is, so that its paths have to be relative. Files of predictions that a run table names are
    not copied.

    Parameters
    ----------
    suite : Suite
        As it was rendered.
    out : Path
        The rendered folder.
    """
    inputs = {path for report in suite.reports for _, path in input_files(report)}
    own = [path for path in inputs if not {NOTEBOOKS, PARAMETERS} & set(path.parents)]
    own.append(suite.path)
    home = Path(os.path.commonpath([path.parent for path in own]))
    with result_folder(out / "bundle", "bundle") as folder:
        for path in own:
            target = folder / path.relative_to(home)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        place = suite.path.relative_to(home)
        readme = README.format(title=suite.title, suite=place, srlib=version("srlib"))
        write_atomically(folder / "README.txt", readme)
        packages = [package for package in distributions() if package.name != "srlib"]
        lines = sorted(f"{package.name}=={package.version}\n" for package in packages)
        write_atomically(folder / "requirements.txt", "".join(lines))
