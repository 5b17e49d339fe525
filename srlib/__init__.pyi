from srlib.api.models import equivalent as equivalent
from srlib.api.models import parse as parse
from srlib.api.reporting import report as report
from srlib.api.scoring import complexity_score as complexity_score
from srlib.api.scoring import solution_rate as solution_rate
from srlib.api.verbs import assess as assess
from srlib.api.verbs import check as check
from srlib.api.verbs import compare as compare
from srlib.api.verbs import judge as judge
from srlib.api.verbs import read_runs as read_runs
from srlib.api.verbs import robustness as robustness
from srlib.errors import SrlibError as SrlibError

__version__: str
