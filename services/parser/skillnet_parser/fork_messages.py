"""What the service and its fork server tell each other on the control socket: numbers of fixed size.

An order is one byte and the number of the child; FORK comes with two file descriptors, the child's channel and its
standard error. The answer is the number of a child that has ended and its exit code, or minus the signal.
"""

from __future__ import annotations

import struct

FORK = b"F"
KILL = b"K"

ORDER = struct.Struct("!cq")
ENDED = struct.Struct("!qi")
