"""What people see: Display objects (numbers first, then `plot`), tables, equations, and how to show them."""

from importlib import import_module
from typing import Any

_HOMES = {
    "show_answer": "answer",
    "aspect_table": "aspects",
    "dataset_titles": "aspects",
    "comparison_sentence": "comparison",
    "median_ranking": "comparison",
    "completion_matrix": "completion",
    "CriticalDifferenceDisplay": "critical_difference",
    "CriticalDifferencesDisplay": "critical_differences",
    "DotsDisplay": "dots",
    "equation": "equations",
    "evidence_table": "evidence",
    "ExtrapolationDisplay": "extrapolation",
    "FeatureUseDisplay": "feature_use",
    "CurvesDisplay": "inference_curves",
    "resample_instances": "inference_stability",
    "conservation": "ledger",
    "ledger_table": "ledger",
    "MatrixDisplay": "matrix",
    "best_models": "models",
    "NoiseDisplay": "noise",
    "noise_answer": "noise",
    "PairsDisplay": "pairs",
    "ParetoDisplay": "pareto",
    "property_answer": "places",
    "property_places": "places",
    "ProfilesDisplay": "profiles",
    "PropertyDisplay": "properties",
    "dataset_table": "qualification",
    "method_table": "qualification",
    "mismatch_table": "qualification",
    "qualification_sentence": "qualification",
    "QualificationR2Display": "qualification_r2",
    "QualificationRanksDisplay": "qualification_ranks",
    "rules_table": "rules",
    "ScoresDisplay": "scores",
    "SeriesDisplay": "series",
    "SheetDisplay": "sheet",
    "output_folder": "show",
    "show_figure": "show",
    "show_table": "show",
    "show_verdict": "show",
    "trace_lines": "traces",
    "SurrogatesDisplay": "surrogates",
    "SimplicityCurveDisplay": "simplicity_curve",
    "style": "styling",
    "html_table": "table",
    "latex_table": "table",
    "final_ranking": "verdict",
    "headline": "verdict",
}


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used: the renderer needs no matplotlib."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """List the names that can be imported from here."""
    return sorted(_HOMES)
