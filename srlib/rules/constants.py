"""How constants of a model are compared with those of the truth: the one switch for it, as files and calls write it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

LARGEST = 12  # decimals or digits
ALLOWED = "decimals:N, significant:N (N up to 12), srbench or free"
UNITS = {"decimals": "decimals", "significant": "significant digits"}
TEXT = re.compile(
    r"(?P<rule>decimals|significant) *: *(?P<n>\d{1,2})"
    r"|(?P<many>\d{1,2}) (?P<unit>decimals|significant digits)"
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
        if self.rule in UNITS:
            return f"{self.digits} {UNITS[self.rule]}"
        return self.rule

    @classmethod
    def read(cls, value: object) -> "Constants":
        """Read what a file or a call states.

        Raises
        ------
        ValueError
            Says what is allowed and what came.
        """
        if isinstance(value, cls):
            return value
        text = str(value)
        if isinstance(value, Mapping) and len(value) == 1:
            text = ":".join(f"{key}:{number}" for key, number in value.items())
        if text in ("srbench", "free"):
            return cls(text)
        if found := TEXT.fullmatch(text):
            rule = found["rule"] or found["unit"].split()[0]
            number = int(found["n"] or found["many"])
            if (rule == "significant") <= number <= LARGEST:
                return cls(rule, number)
        raise ValueError(f"{ALLOWED} was expected, got {str(value)[:60]!r}")
