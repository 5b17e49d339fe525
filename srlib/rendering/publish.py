"""What stands in the folder of pages: reports, made beside it and moved into place, and the bundle of their inputs.

One command at a time renders into OUT.

OUT/NAME.report.json tells what a report was made from. It is emptied before the other files are replaced and comes
last, so that a report is made again where a command was killed in between.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions, version
from pathlib import Path

from srlib.errors import InputError
from srlib.files import NOTEBOOKS, PARAMETERS, locked, write_atomically
from srlib.folders import STATE, result_folder
from srlib.rendering.provenance import Provenance, input_files
from srlib.rendering.suite import Report, Suite

README = """What {title} was made from. One command renders it again, into the folder reports:

    srlib report {suite} --out reports

On another machine first: pip install -r requirements.txt, and srlib {srlib} from its wheel or its source folder.
What the suite names without a path comes with srlib. The pages list the SHA-256 of every input.
"""


@dataclass(frozen=True)
class Job:
    """All that the process needs to know which makes a report.

    Attributes
    ----------
    report : Report
        Its notebook and parameters.
    origin : Provenance
        Where it comes from.
    folder : Path
        Where it is made: what is to be published in `new`, the kernel's own files beside it.
    """

    report: Report
    origin: Provenance
    folder: Path

    @property
    def output(self) -> Path:
        """Folder for the notebook's figures and tables, beside the page."""
        return self.folder / "new" / self.report.name


@contextlib.contextmanager
def rendering_lock(out: Path) -> Iterator[Path]:
    """Keep other commands out of OUT, and give a folder for what is being made; it is removed in the end.

    Raises
    ------
    InputError
        When OUT cannot be written.
    """
    staging = out / STATE / "staging"
    try:
        with locked(out / STATE / "lock", str(out)):
            shutil.rmtree(staging, ignore_errors=True)  # a killed command left it
            try:
                yield staging
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except BrokenPipeError:  # nobody reads what the command prints
        raise
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from error


def publish(new: Path, out: Path, name: str) -> None:
    """Put a report into OUT: its folder as a whole, its page, and what it handed over."""
    handed = f"{name}.report.json"
    write_atomically(out / handed, "{}\n")
    if (out / name).exists():
        (out / name).replace(new.parent / "old")  # which goes away with the staging folder
    for file in (name, f"{name}.html", handed):
        (new / file).replace(out / file)


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
            write_atomically(folder / path.relative_to(home), path.read_bytes())
        path = suite.path.relative_to(home)
        readme = README.format(title=suite.title, suite=path, srlib=version("srlib"))
        write_atomically(folder / "README.txt", readme)
        lines = sorted(f"{p.name}=={p.version}\n" for p in distributions() if p.name != "srlib")
        write_atomically(folder / "requirements.txt", "".join(lines))
