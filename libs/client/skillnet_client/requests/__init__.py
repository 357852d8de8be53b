"""How each call looks on the wire, by subject; shared by the sync and the async client."""

from skillnet_client.requests.base import ApiRequest, Params, headers_of
from skillnet_client.requests.documents import DocumentFilters
from skillnet_client.requests.uploads import UploadOptions

__all__ = ["ApiRequest", "DocumentFilters", "Params", "UploadOptions", "headers_of"]
