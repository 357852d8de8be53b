"""`python -m skillnet_embedder`."""

from skillnet_embedder.app import main

main()
