"""`python -m skillnet_notifier`."""

from skillnet_notifier.app import main

main()
