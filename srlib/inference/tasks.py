"""The one table of tasks: a row a task, with all that the project knows of it (see `srlib.inference.cases.Task`).

Reading and writing answers, errors, the trivial solver, references, commands and figures look their field up.
"""

from srlib.inference import errors, kept, solutions, trivial
from srlib.inference.cases import Asked, Case, Task
from srlib.inference.problems import Problem


def _whole(problem: Problem) -> list[Asked]:
    return [(problem.name, problem.evidence, ())]


def _everything(problem: Problem) -> list[Asked]:
    return [(problem.name, problem.evidence, tuple(range(len(problem.model.cardinalities))))]


def _query(problem: Problem) -> list[Asked]:
    return [(problem.name, problem.evidence, problem.query)] if problem.query else []


def _tests(problem: Problem) -> list[Asked]:
    tests = problem.tests if problem.sample == 0 else ()
    return [(f"{problem.stem}#{k}", *test) for k, test in enumerate(tests)]


_TABLE = [
    Task(
        name="PR",  # the partition function
        heads=("PR",),
        cases=_whole,
        parse=solutions.partition_functions,
        trivial=trivial.upper_bound,
        measure=errors.partition_error,
        stored={"log10_Z": kept.Number | None},
        known=lambda reference, case: reference.get("log10_Z"),
        solve=kept.solve_sums,
    ),
    Task(
        name="MAR",  # marginals
        heads=("MAR",),
        cases=_whole,
        parse=solutions.either_way(solutions.marginals),
        trivial=trivial.uniform,
        measure=errors.hellinger,
        stored={"mar": kept.Rows | None},
        known=lambda reference, case: reference.get("mar"),
        solve=kept.solve_sums,
    ),
    Task(
        name="MPE",  # the most probable states of all variables; files of 2010 call it MAP
        heads=("MPE", "MAP"),
        cases=_everything,
        parse=solutions.either_way(solutions.assignments),
        trivial=trivial.each_alone,
        measure=errors.assignment,
        stored={"map_log_likelihood": kept.Number | None, "map_assignment": kept.States},
        known=lambda reference, case: reference.get("map_log_likelihood"),
        solve=kept.solve_states,
        keep=kept.keep_all,
    ),
    Task(
        name="MMAP",  # those of some, summed over the others
        heads=("MMAP",),
        cases=_query,
        parse=solutions.either_way(solutions.queried),
        trivial=trivial.each_alone,
        measure=errors.summed,
        stored={"mmap": kept.Entry | None},
        known=lambda reference, case: (reference.get("mmap") or {}).get("log10_value"),
        solve=kept.solve_states,
        keep=kept.keep_query,
    ),
    Task(
        name="MLC",  # the same for each line of a file of tests
        heads=("MLC",),
        cases=_tests,
        parse=solutions.either_way(solutions.queried),
        trivial=trivial.each_alone,
        measure=errors.summed,
        stored={"mlc": kept.Lines | None},
        known=kept.known_line,
        solve=kept.solve_states,
        keep=kept.keep_line,
    ),
]

TASKS: dict[str, Task] = {task.name: task for task in _TABLE}


def cases_of(problem: Problem) -> list[Case]:
    """List what can be asked about a problem."""
    return [
        Case(row, instance, problem, evidence, query)
        for row in TASKS.values()
        for instance, evidence, query in row.cases(problem)
    ]


def exact_tasks() -> list[str]:
    """Name the tasks whose answers are compared with an exact one, not with the best known."""
    return [name for name, row in TASKS.items() if row.keep is None]
