"""Value of the switch that says how constants of a model are compared with those of the truth."""

import re
from typing import NamedTuple

MOST_DIGITS = 12  # most decimals or significant digits
UNIT_NAMES = {"decimals": "decimals", "significant": "significant digits"}
TEXT_PATTERN = re.compile(
    r"{?\'?(?P<rule>decimals|significant)\'? *: *(?P<number>\d{1,2})}?"
    r"|(?P<count>\d{1,2}) (?P<unit>decimals|significant)( digits)?"
)


class Constants(NamedTuple):
    """Rule by which a model's constants are equal to those of the truth.

    `decimals`: they differ by at most half a unit of the last decimal; `significant`: of the last significant digit;
    `srbench`: the model's constants are rounded to 3 decimals, then to 3 significant digits, and values below 1e-4 are
    0; `free`: constants that the problem names may have any value, the others are compared to 3 significant digits.

    Examples
    --------
    >>> str(Constants.read("significant:3")), str(Constants.read({"decimals": 3})), str(Constants.read("free"))
    ('3 significant digits', '3 decimals', 'free')
    """

    rule: str = "decimals"
    digits: int = 3

    def __str__(self) -> str:
        """Return the rule as text, as on pages; `read` accepts this text."""
        if self.rule in UNIT_NAMES:
            return f"{self.digits} {UNIT_NAMES[self.rule]}"
        return self.rule

    @classmethod
    def read(cls, value: object) -> "Constants":
        """Return the rule that a file ({decimals: 3}, srbench, free) or a call (decimals:3) states.

        Raises
        ------
        ValueError
            When the value is invalid; the message says what was expected and what was found.
        """
        text = str(value)
        if text in ("srbench", "free"):
            return cls(text)
        if match := TEXT_PATTERN.fullmatch(text):
            rule = match["rule"] or match["unit"]
            digits = int(match["number"] or match["count"])
            if (rule == "significant") <= digits <= MOST_DIGITS:
                return cls(rule, digits)
        raise ValueError(
            f"decimals:N, significant:N (N up to {MOST_DIGITS}), srbench or free was expected, got {text[:60]!r}"
        )
