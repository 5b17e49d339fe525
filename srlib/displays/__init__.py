"""What people see: Display objects (numbers first, then `plot`), tables, equations, and how to show them."""

from importlib import import_module
from typing import Any

_HOMES = {
    "show_answer": "tables.answer",
    "aspect_table": "tables.aspects",
    "dataset_titles": "tables.aspects",
    "property_aspect": "tables.aspects",
    "score_matrix": "tables.aspects",
    "in_turn": "tables.aspects",
    "headed": "tables.aspects",
    "completion_matrix": "tables.runs",
    "CriticalDifferenceDisplay": "figures.critical_difference",
    "DotsDisplay": "figures.dots",
    "equation": "tables.equations",
    "evidence_table": "tables.evidence",
    "ExtrapolationDisplay": "figures.lines",
    "FeatureUseDisplay": "figures.heatmap",
    "CurvesDisplay": "figures.lines",
    "mean_scores": "tables.inference_stability",
    "resample_instances": "tables.inference_stability",
    "conservation": "tables.runs",
    "ledger_table": "tables.runs",
    "MatrixDisplay": "figures.heatmap",
    "in_full": "tables.aspects",
    "best_models": "tables.models",
    "counted": "tables.models",
    "solution_table": "tables.models",
    "NoiseDisplay": "figures.noise",
    "describe_noise": "figures.noise",
    "compare_with_next": "tables.participant",
    "models_beside_truths": "tables.participant",
    "next_above": "tables.participant",
    "standing": "tables.participant",
    "describe_exceptions": "tables.participant",
    "describe_improvements": "tables.participant",
    "PairsDisplay": "figures.heatmap",
    "ParetoDisplay": "figures.pareto",
    "property_answer": "tables.places",
    "property_places": "tables.places",
    "ProfilesDisplay": "figures.lines",
    "PropertyDisplay": "figures.dots",
    "dataset_table": "tables.qualification",
    "method_table": "tables.qualification",
    "qualification_sentence": "tables.qualification",
    "QualificationR2Display": "figures.dots",
    "QualificationRanksDisplay": "figures.dots",
    "show_readings": "tables.readings",
    "rules_table": "tables.rules",
    "run_table": "tables.runs",
    "ScoresDisplay": "figures.dots",
    "SheetDisplay": "tables.sheet",
    "participant_pages": "suite_style",
    "output_folder": "show",
    "show_figure": "show",
    "show_matrix": "show",
    "show_table": "show",
    "show_rules": "show",
    "show_verdict": "show",
    "PANELS": "styling",
    "left_out": "styling",
    "style": "styling",
    "first_screen": "tables.first_screen",
    "score_intervals": "tables.first_screen",
    "html_table": "tables.table",
    "latex_table": "tables.latex",
    "final_ranking": "tables.aspects",
}


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used: the renderer needs no matplotlib."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """List the names that can be imported from here."""
    return sorted(_HOMES)
