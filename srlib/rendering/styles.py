"""How a suite's figures look: what it states under `style`."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from srlib.errors import InputError
from srlib.yaml_files import Strict

VENUES: dict[str, tuple[float, float, float]] = {
    "acm": (3.33, 7.0, 8.0),
    "elsevier": (3.54, 7.48, 7.0),
    "ieee": (3.5, 7.16, 8.0),
    "jmlr": (6.0, 6.0, 9.0),
    "lncs": (4.8, 4.8, 9.0),
    "nature": (3.5, 7.2, 7.0),
    "neurips": (5.5, 5.5, 9.0),
    "springer": (3.31, 6.85, 8.0),
}  # inches of a column and of a page's text, points of letters


class StyleFile(Strict):
    """How figures look; whatever is not stated is as srlib has it."""

    venue: Literal[
        "acm", "elsevier", "ieee", "jmlr", "lncs", "nature", "neurips", "springer", None
    ] = None
    """where the figures are to appear: widths of a column and of a page, and the size of letters"""
    size: Annotated[float, Field(ge=4, le=16)] | None = None
    """size of the letters in points; else the venue's, or 7.5"""
    palette: str | list[str] | dict[str, str] | None = None
    """colours of methods: a name that seaborn knows, a list of colours, or colours by method"""
    order: list[str] = []
    """methods in the order in which they get their colours and markers; the others follow, page by page"""
    methods: list[str] = []
    """the methods that figures show; else all (the tables always have all)"""

    @field_validator("palette")
    @classmethod
    def _colours(cls, value: Any) -> Any:
        if value is not None:
            from srlib.displays.styling import colours  # what reads suites does without matplotlib

            try:
                colours(list(value.values()) if isinstance(value, dict) else value, 3)
            except InputError as error:
                raise ValueError(str(error).removeprefix("palette: ")) from error
        return value

    def handed(self) -> dict[str, Any]:
        """Give what the kernels of the suite's notebooks are told."""
        settings = self.model_dump(exclude_defaults=True)
        if venue := settings.pop("venue", None):
            column, page, size = VENUES[venue]
            settings = {"size": size, "widths": {"column": column, "page": page}, **settings}
        return settings
