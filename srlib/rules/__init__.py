"""Rules files: the measure block for assessing, the judge block for judging, and the meaning of each switch."""

from srlib.rules.judge import ASPECT_READINGS, READINGS, Aspect, JudgeRules
from srlib.rules.measure import Constants, MeasureRules
from srlib.rules.rules_file import (
    Rules,
    departure,
    in_words,
    load_rules,
    rules_text,
    sentence_of,
    shipped_rules,
    shipped_statements,
    switch_at,
    written,
)

__all__ = [
    "ASPECT_READINGS",
    "READINGS",
    "Aspect",
    "Constants",
    "JudgeRules",
    "MeasureRules",
    "Rules",
    "departure",
    "in_words",
    "load_rules",
    "rules_text",
    "sentence_of",
    "shipped_rules",
    "shipped_statements",
    "switch_at",
    "written",
]
