"""What people see: Display objects (numbers first, then `plot`), tables, equations, and how to show them."""

import lazy_loader

# where each name is, says __init__.pyi: it is imported when it is first used, as the renderer needs no matplotlib
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
