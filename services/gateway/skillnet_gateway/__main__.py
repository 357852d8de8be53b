"""`python -m skillnet_gateway`."""

from skillnet_gateway.app import main

main()
