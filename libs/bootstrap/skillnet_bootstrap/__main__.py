"""`python -m skillnet_bootstrap`."""

from skillnet_bootstrap.app import main

main()
