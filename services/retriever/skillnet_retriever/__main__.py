"""`python -m skillnet_retriever`."""

from skillnet_retriever.app import main

main()
