"""Lets the tests import the example documents' typesetting, which is run as a script and not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
