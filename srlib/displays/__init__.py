"""Display objects (numbers first, then `plot`), tables, equations, and the functions that show them in notebooks."""

import lazy_loader

# __init__.pyi says where each name is; it is imported when it is first used, as the renderer needs no matplotlib
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
