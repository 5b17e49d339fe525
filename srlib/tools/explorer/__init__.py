"""Parts of explore.ipynb: judging a competition under other choices, judging typed models, and widgets."""
