"""A dataset's documents go in over HTTP, as anybody's would, and are waited for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from uuid import NAMESPACE_URL, UUID, uuid5

from skillnet_client import SkillnetClient, UploadOptions
from skillnet_common.contracts.documents import DocumentSummary
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_evaluation.questions import Dataset, SourceDocument

_SOURCE = "evaluation"
_UPLOADS_AT_ONCE = 4

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""


@dataclass(frozen=True, slots=True)
class LoadedCorpus:
    """The documents' keys by their ids in the deployment. Distractors have none."""

    keys: dict[UUID, str]
    distractors: frozenset[UUID]


def organization_of(dataset: Dataset) -> UUID:
    """An organisation for each set of documents, so that no other set's stand among them."""
    digest = sha256()
    for document in dataset.documents:
        content = document.content if isinstance(document.content, bytes) else document.content.read_bytes()
        digest.update(f"{document.key}\0{document.title}\0".encode() + sha256(content).digest())
    return uuid5(NAMESPACE_URL, f"skillnet:evaluation:{digest.hexdigest()}")


def load(client: SkillnetClient, dataset: Dataset, on_progress: OnProgress) -> LoadedCorpus:
    """Uploads what is not there yet and waits until all of it is live.

    Raises SkillnetError with the reason of the first document that cannot be read.
    """
    ids = _upload(client, dataset.documents, on_progress)

    def tell(seen: Sequence[DocumentSummary]) -> None:
        on_progress("Reading", sum(document.is_settled for document in seen), len(ids))

    for document in client.wait_until_settled(list(ids), tell).values():
        if document.failure is not None or document.live_version is None:
            reason = document.failure.message if document.failure else "it was deleted"
            raise SkillnetError(ErrorCode.INVALID_REQUEST, f"{document.external_key} cannot be searched: {reason}")
    return LoadedCorpus(
        {one: document.key for one, document in ids.items() if not document.is_distractor},
        frozenset(one for one, document in ids.items() if document.is_distractor),
    )


def _upload(
    client: SkillnetClient, documents: Sequence[SourceDocument], on_progress: OnProgress
) -> dict[UUID, SourceDocument]:
    def upload(document: SourceDocument) -> UUID:
        options = UploadOptions(
            filename=document.file_name, external_key=document.key, source=_SOURCE, title=document.title
        )
        return client.upload(document.content, options).document_id

    ids: dict[UUID, SourceDocument] = {}
    with ThreadPoolExecutor(_UPLOADS_AT_ONCE) as pool:
        for document, document_id in zip(documents, pool.map(upload, documents), strict=True):
            ids[document_id] = document
            on_progress("Uploading", len(ids), len(documents))
    return ids
