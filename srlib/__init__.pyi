from .assessing.check import check as check
from .comparing.comparison import compare as compare
from .competition import Competition as Competition
from .competition import Resources as Resources
from .displays.drawing import plot as plot
from .errors import SrlibError as SrlibError
from .expressions.model import equivalent as equivalent
from .expressions.model import parse as parse
from .readers.run_table import read_runs as read_runs
from .rendering.page import to_html as to_html
from .rendering.render import report as report
from .tools.recording.scorers import complexity_score as complexity_score
from .tools.recording.scorers import solution_rate as solution_rate

__version__: str
