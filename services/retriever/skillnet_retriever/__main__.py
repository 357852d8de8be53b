"""`python -m skillnet_retriever`."""

import os

# Read when NumPy is loaded. Products as small as those of late interaction gain nothing from more threads, and beside
# others at work threads that wait for each other take ten times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from skillnet_retriever.app import main

main()
