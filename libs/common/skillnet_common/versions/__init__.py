"""The life of a document's versions: accepted, made live, failed, cancelled, deleted.

Every function here runs inside the caller's transaction and takes locks in one order: the document's row,
then the version's, then work. That order is what makes any interleaving of them safe.
"""

from skillnet_common.versions.deletion import cancel_version, delete_document
from skillnet_common.versions.failure import fail_version
from skillnet_common.versions.finish import FinishOutcome, finish_version
from skillnet_common.versions.locks import DocumentGone, lock_version
from skillnet_common.versions.metadata import CLEARABLE, MetadataChange, change_document
from skillnet_common.versions.redo import Outdated, Redone, find_outdated, redo_document
from skillnet_common.versions.replay import Replayed, replay_work
from skillnet_common.versions.uploads import (
    Upload,
    UploadOutcome,
    UploadResult,
    accept_upload,
    document_id_for,
)

__all__ = [
    "CLEARABLE",
    "DocumentGone",
    "FinishOutcome",
    "MetadataChange",
    "Outdated",
    "Redone",
    "Replayed",
    "Upload",
    "UploadOutcome",
    "UploadResult",
    "accept_upload",
    "cancel_version",
    "change_document",
    "delete_document",
    "document_id_for",
    "fail_version",
    "find_outdated",
    "finish_version",
    "lock_version",
    "redo_document",
    "replay_work",
]
