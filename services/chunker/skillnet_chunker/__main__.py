"""`python -m skillnet_chunker`."""

from skillnet_chunker.app import main

main()
