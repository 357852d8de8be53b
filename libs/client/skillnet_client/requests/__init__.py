"""How each call looks on the wire, by subject; shared by the sync and the async client."""

from skillnet_client.requests.base import ApiRequest, Params, authorization_of, headers_of
from skillnet_client.requests.documents import DocumentFilters
from skillnet_client.requests.uploads import UploadOptions

__all__ = ["ApiRequest", "DocumentFilters", "Params", "UploadOptions", "authorization_of", "headers_of"]
