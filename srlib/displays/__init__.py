"""What people see: Display objects (numbers first, then `plot`), tables, equations, and how to show them."""

from srlib.displays.aspects import aspect_table, dataset_titles
from srlib.displays.equation import equation
from srlib.displays.ledger_table import conservation, ledger_table
from srlib.displays.models import best_models
from srlib.displays.rules_table import rules_table
from srlib.displays.scores import ScoresDisplay
from srlib.displays.show import output_folder, show_figure, show_table, show_verdict
from srlib.displays.simplicity_curve import SimplicityCurveDisplay
from srlib.displays.style import style
from srlib.displays.table import html_table, latex_table
from srlib.displays.verdict import final_ranking, headline

__all__ = [
    "ScoresDisplay",
    "SimplicityCurveDisplay",
    "aspect_table",
    "best_models",
    "conservation",
    "dataset_titles",
    "equation",
    "final_ranking",
    "headline",
    "html_table",
    "latex_table",
    "ledger_table",
    "output_folder",
    "rules_table",
    "show_figure",
    "show_table",
    "show_verdict",
    "style",
]
