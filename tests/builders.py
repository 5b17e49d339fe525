"""Builders of inputs that tests of several rooms share."""

from srlib.competition import Competition, Resources


def judge_competition(
    runs="demo", problems="synthetic-2022", rules="judging-2022", jobs=None, **options
):
    """The judgement of a competition that is read from files, names or tables."""
    resources = Resources(jobs=jobs)
    return Competition.read(runs, problems, rules, resources=resources, **options).judge()
