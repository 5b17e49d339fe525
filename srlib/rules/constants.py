"""The switch for comparing constants of a model with those of the truth, as files and calls write it."""

import re
from typing import NamedTuple

MOST_DIGITS = 12  # decimals or digits
UNIT_NAMES = {"decimals": "decimals", "significant": "significant digits"}
TEXT_PATTERN = re.compile(
    r"{?\'?(?P<rule>decimals|significant)\'? *: *(?P<number>\d{1,2})}?"
    r"|(?P<count>\d{1,2}) (?P<unit>decimals|significant)( digits)?"
)


class Constants(NamedTuple):
    """A reading of "the constants are equal".

    `decimals`: to within half a unit of that decimal; `significant`: of that digit; `srbench`: the model's are rounded
    to 3 decimals and then to 3 digits, and what is below 1e-4 is 0; `free`: constants that the problem names may have
    any value, the others are compared to 3 significant digits.

    Examples
    --------
    >>> str(Constants.read("significant:3")), str(Constants.read({"decimals": 3})), str(Constants.read("free"))
    ('3 significant digits', '3 decimals', 'free')
    """

    rule: str = "decimals"
    digits: int = 3

    def __str__(self) -> str:
        """Write it as pages do; `read` reads that, too."""
        if self.rule in UNIT_NAMES:
            return f"{self.digits} {UNIT_NAMES[self.rule]}"
        return self.rule

    @classmethod
    def read(cls, value: object) -> "Constants":
        """Read what a file ({decimals: 3}, srbench, free) or a call (decimals:3) states.

        Raises
        ------
        ValueError
            Says what is allowed and what came.
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
