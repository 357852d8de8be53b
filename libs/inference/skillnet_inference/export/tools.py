"""The libraries of the extra `export`, loaded when they are needed and kept quiet."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec

from skillnet_common.errors import ErrorCode, PermanentFault

_NEEDED = {"torch": "torch", "sentence_transformers": "sentence-transformers", "optimum": "optimum-onnx"}
_INSTALL = "pip install -c constraints-export.txt -e '.[export]'"


def require_export_tools() -> None:
    """Raises PermanentFault `misconfigured`, saying what to install, where the extra is not there."""
    missing = [package for module, package in _NEEDED.items() if find_spec(module) is None]
    if missing:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"This needs the extra `export` (missing: {', '.join(missing)}). It brings torch, so give it an "
            f"environment of its own: `make export-tools`, then .venv-export/bin/skillnet; or {_INSTALL}",
            extra="export",
            packages=missing,
        )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Whatever the libraries print goes to standard error; their warnings and progress bars are left out.

    Their warnings speak to those who wrote the exporter: what an export is worth, `verify` says.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from transformers.utils import logging as transformers_logging  # noqa: PLC0415

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
