"""`python -m skillnet_dispatcher`."""

from skillnet_dispatcher.app import main

main()
