"""Rules = measure (what assessing may read) + judge (all else, cheap), loaded from parameters/rules."""

from srlib.rules.blocks import Aspect, NoiseGuard, Properties, Qualification, RealWorld
from srlib.rules.constants import Constants
from srlib.rules.file import SILENT, Rules, departure, differences, load_rules, meaning
from srlib.rules.judge import Judge
from srlib.rules.measure import Measure
from srlib.rules.switch import Digits, Share, Switch, Switches, declared, written
from srlib.rules.template import rules_text

__all__ = [
    "SILENT",
    "Aspect",
    "Constants",
    "Digits",
    "Judge",
    "Measure",
    "NoiseGuard",
    "Properties",
    "Qualification",
    "RealWorld",
    "Rules",
    "Share",
    "Switch",
    "Switches",
    "declared",
    "departure",
    "differences",
    "load_rules",
    "meaning",
    "rules_text",
    "written",
]
