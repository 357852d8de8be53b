"""`python -m skillnet_parser`."""

from skillnet_parser.app import main

main()
