"""The process that parses one file and ends: forked by the fork server, and from its first line on its own.

It reads one request from its channel: a JSON object on one line with `path`, `file_name` and `limits`. It answers
there with lines of JSON: any number of `{"progress": [done, total]}`, then `{"result": <bytes>}` followed by so
many bytes of the document's JSON, or `{"fault": {code, message, details}}`. Standard output and standard error are
a pipe to the service; standard input is empty.
"""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from skillnet_common.documents.codec import document_to_json
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_parser.lifetime import die_with
from skillnet_parser.limits import ParseLimits, limits_from_fields
from skillnet_parser.parse import parse_path

_OPEN_FILES = 64


def serve(channel_fd: int, parent: int) -> NoReturn:
    """Serves one request on the channel, a socket, and ends the process, which dies with `parent` too."""
    die_with(parent)
    with os.fdopen(channel_fd, "rb") as requests, os.fdopen(os.dup(channel_fd), "wb") as channel:
        line = requests.readline()
        if line:  # else the service closed without a request
            request = json.loads(line)
            limits = limits_from_fields(request["limits"])
            _apply(limits)
            channel.write(_answer(request, limits, channel))
            channel.flush()
    # Nothing is left to clean up, and the interpreter's own end takes longer than all of the above.
    os._exit(0)


def _answer(request: dict[str, Any], limits: ParseLimits, channel: BinaryIO) -> bytes:
    def report(done: int, total: int) -> None:
        channel.write(_line({"progress": [done, total]}))
        channel.flush()

    try:
        document = parse_path(Path(request["path"]), request["file_name"], limits, report)
        payload = document_to_json(document).encode()
    except SkillnetError as fault:
        return _line({"fault": {"code": fault.code, "message": fault.message, "details": fault.details}})
    except MemoryError:
        return _line(
            {
                "fault": {
                    "code": ErrorCode.PARSE_MEMORY,
                    "message": "The document needs more memory than is allowed to read it.",
                    "details": {},
                }
            }
        )
    return _line({"result": len(payload)}) + payload


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _apply(limits: ParseLimits) -> None:
    """From here on the process cannot outgrow its limits, and cannot write to any file."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    # Recognition is not counted as reading: it raises the lower limit by what it took (formats/pdf_ocr.py).
    most = limits.cpu_seconds + 1 + (int(limits.ocr.seconds) if limits.ocr is not None else 0)
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
