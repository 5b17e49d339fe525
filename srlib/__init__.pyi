from .api.models import equivalent as equivalent
from .api.models import parse as parse
from .api.scoring import complexity_score as complexity_score
from .api.scoring import solution_rate as solution_rate
from .api.verbs import assess as assess
from .api.verbs import check as check
from .api.verbs import compare as compare
from .api.verbs import judge as judge
from .api.verbs import read_runs as read_runs
from .api.verbs import report as report
from .api.verbs import robustness as robustness
from .errors import SrlibError as SrlibError

__version__: str
