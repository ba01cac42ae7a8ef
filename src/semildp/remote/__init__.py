"""A collection server, over HTTP: for a person's device and for the curator. Only messages are sent, no raw value."""

from semildp.remote.curator import Curator
from semildp.remote.http import Http, RemoteError
from semildp.remote.links import invitation_link, read_link
from semildp.remote.server import Server
from semildp.remote.visit import Visit

__all__ = ["Curator", "Http", "RemoteError", "Server", "Visit", "invitation_link", "read_link"]
