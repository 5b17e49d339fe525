"""What a wheel holds besides the package: the shipped parameters and notebooks, which lie beside it in a checkout."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SHIPPED = ("parameters/**/*.yaml", "notebooks/*.ipynb")


class WithShipped(build_py):
    """Copy them to srlib/shipped while a wheel is built; an editable install uses those of the checkout."""

    def run(self) -> None:
        """Build the package, then copy."""
        super().run()
        if self.editable_mode:
            return
        into = Path(self.build_lib) / "srlib" / "shipped"
        shutil.rmtree(into, ignore_errors=True)
        for pattern in SHIPPED:
            for path in sorted(ROOT.glob(pattern)):
                target = into / path.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


setup(cmdclass={"build_py": WithShipped})
