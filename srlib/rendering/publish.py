"""The folder of pages (OUT): publication of finished reports, and the bundle of their inputs.

Reports are made in a staging folder and then moved into place.

OUT/NAME.report.json has the fingerprint of a report. It is emptied before the other files are replaced, and written
last, so that a report is rendered again if the command was killed in between.
"""

import os
from dataclasses import dataclass
from importlib.metadata import distributions, version
from pathlib import Path

from srlib.files import NOTEBOOKS, PARAMETERS, write_atomically
from srlib.folders import result_folder
from srlib.rendering.provenance import Provenance, input_files
from srlib.rendering.suite import Report, Suite

README = """What {title} was made from. One command renders it again, into the folder reports:

    srlib report {suite} --out reports

On another machine first: pip install -r requirements.txt, and srlib {srlib} from its wheel or its source folder.
What the suite names without a path comes with srlib. The pages list the SHA-256 of every input.
"""


@dataclass(frozen=True)
class Job:
    """Arguments of a process that makes one report.

    Attributes
    ----------
    report : Report
        The report with its notebook and parameters.
    origin : Provenance
        Provenance of the report.
    folder : Path
        Folder in which the report is made: the files to publish are in its folder `new`, the kernel's files beside it.
    """

    report: Report
    origin: Provenance
    folder: Path

    @property
    def output(self) -> Path:
        """Folder for the notebook's figures and tables, beside the page."""
        return self.folder / "new" / self.report.name


def publish(made_folder: Path, out: Path, name: str) -> None:
    """Move a report into OUT: its folder as a whole, its page, and NAME.report.json."""
    report_file = f"{name}.report.json"
    write_atomically(out / report_file, "{}\n")
    if (out / name).exists():
        (out / name).replace(made_folder.parent / "old")  # which is removed with the staging folder
    for file in (name, f"{name}.html", report_file):
        (made_folder / file).replace(out / file)


def write_bundle(suite: Suite, out: Path) -> None:
    """Copy a suite and all files that it names by a path into OUT/bundle, at the same relative paths.

    The suite file is copied unchanged, so its paths have to be relative. Files that srlib ships are not copied, nor are
    files of predictions that a run table names.

    Parameters
    ----------
    suite : Suite
        The suite as it was rendered.
    out : Path
        The rendered folder.
    """
    inputs = {path for report in suite.reports for _, path in input_files(report)}
    paths = [path for path in inputs if not {NOTEBOOKS, PARAMETERS} & set(path.parents)]
    paths.append(suite.path)
    root = Path(os.path.commonpath([path.parent for path in paths]))
    with result_folder(out / "bundle", "bundle") as folder:
        for path in paths:
            write_atomically(folder / path.relative_to(root), path.read_bytes())
        path = suite.path.relative_to(root)
        readme = README.format(title=suite.title, suite=path, srlib=version("srlib"))
        write_atomically(folder / "README.txt", readme)
        lines = sorted(
            f"{package.name}=={package.version}\n"
            for package in distributions()
            if package.name != "srlib"
        )
        write_atomically(folder / "requirements.txt", "".join(lines))
