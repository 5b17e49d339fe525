"""The parts of explore.ipynb: a competition judged under other choices, typed models, and the widgets."""
