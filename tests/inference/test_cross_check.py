"""The same by other people's libraries, where they are installed."""

import numpy as np
import pytest

from srlib.inference import load_problem, log10_partition, most_probable
from tests.inference.small import model_of, written


@pytest.fixture(scope="module", params=["made up", "reference"])
def path(request, tmp_path_factory):
    """A grid of random tables with some evidence, which every machine has, and a problem of the competition."""
    if request.param == "reference":
        data = request.getfixturevalue("reference_data")
        return data / "uai" / "problems" / "u12_or_chain_218.fg.uai"
    random, width = np.random.default_rng(7), 4
    sizes = random.integers(2, 4, width * width).tolist()
    pairs = [(v, v + 1) for v in range(width * width) if (v + 1) % width]
    pairs += [(v, v + width) for v in range(width * (width - 1))]
    tables = [random.uniform(0.1, 2.0, (sizes[a], sizes[b])) for a, b in pairs]
    path = tmp_path_factory.mktemp("grid") / "grid.uai"
    path.write_text(written(model_of(sizes, pairs, tables)))
    path.with_suffix(".uai.evid").write_text("2 0 1 5 0")
    return path


# theirs, when they are compiled
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_partition_function_by_pygms(path):
    gm = pytest.importorskip("pygms", reason="pyGMs is not installed")
    wmb = pytest.importorskip("pygms.wmb")
    problem = load_problem(path)[0]
    model = gm.GraphModel(gm.readUai(str(path)))
    model.condition(problem.evidence)
    order, _ = gm.eliminationOrder(model, orderMethod="minfill")
    value = wmb.JTree(model, order, weights=1.0).msgForward()
    assert value / np.log(10) == pytest.approx(
        log10_partition(problem.model, problem.evidence), abs=1e-9
    )


def test_most_probable_assignment_by_toulbar2(path):
    toulbar = pytest.importorskip("pytoulbar2", reason="pytoulbar2 is not installed")
    problem = load_problem(path)[0]
    network = toulbar.CFN(ubinit=10**6, resolution=6)
    for variable, states in enumerate(problem.model.cardinalities):
        network.AddVariable(f"x{variable}", list(range(states)))
    for function, scope in enumerate(problem.model.scopes):
        costs = np.minimum(-problem.model.log_table(function) / np.log(10), 1000.0)
        network.AddFunction([f"x{v}" for v in scope], costs.ravel().tolist())
    for variable, state in problem.evidence.items():
        network.Assign(f"x{variable}", state)
    cost = network.Solve()[1]
    assert -cost == pytest.approx(most_probable(problem.model, problem.evidence)[0], abs=1e-3)
