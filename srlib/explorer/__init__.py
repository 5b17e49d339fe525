"""What explore.ipynb plays with: settings that last, a competition judged at once, models and runs of one's own."""
