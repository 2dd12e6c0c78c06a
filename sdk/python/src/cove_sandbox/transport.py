"""How calls reach the server: the same few steps with and without await."""

from __future__ import annotations

import contextlib
import json
from typing import Any, AsyncIterator, Dict, Iterator, NoReturn, Optional, TypeVar

import httpx

from . import calls, models, settings
from .errors import ConnectionFailed, CoveError, error_of
from .streams import EventStream

T = TypeVar("T")
CHUNK = 256 * 1024
USUAL = httpx.Timeout(60, connect=10)
# Code may run for hours: how long is the server's business, and it sends a sign of life now and then on streams.
LONG = httpx.Timeout(60, connect=10, read=None)


def client_options(found: settings.Settings, headers: Optional[Dict[str, str]] = None) -> Dict[str, Any]:
    shown = dict(headers or {})
    if found.api_key:
        shown["Authorization"] = f"Bearer {found.api_key}"
    # Neither proxies nor .netrc of the environment: a key goes where its owner said.
    return {"base_url": found.url, "headers": shown, "timeout": USUAL, "trust_env": False, "follow_redirects": False}


def request_of(client: Any, call: calls.Call[Any]) -> httpx.Request:
    return client.build_request(call.method, call.path, params=calls.query_of(call), content=calls.content_of(call), headers=calls.headers_of(call),
                                timeout=LONG if call.takes_long else USUAL)


def document_of(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def answer(call: calls.Call[T], response: httpx.Response) -> T:
    if response.status_code >= 300:
        raise error_of(response.status_code, response.headers, document_of(response.content))
    document = document_of(response.content)
    if document is None and response.content:
        raise CoveError("the server's answer is not JSON", status=response.status_code)
    return call.read(document)


def fail(url: object, error: httpx.TransportError) -> NoReturn:
    raise ConnectionFailed(f"{url}: {error or type(error).__name__}", "unavailable", hint="is `cove serve` running, and is this its address?") from error


class Transport:
    def __init__(self, found: settings.Settings):
        uds = {"transport": httpx.HTTPTransport(uds=found.unix_socket)} if found.unix_socket else {}
        self.client = httpx.Client(**client_options(found), **uds)

    def send(self, call: calls.Call[T]) -> T:
        return answer(call, self.exchange(request_of(self.client, call)))

    def exchange(self, request: httpx.Request) -> httpx.Response:
        try:
            return self.client.send(request)
        except httpx.TransportError as error:
            fail(request.url, error)

    @contextlib.contextmanager
    def open(self, request: httpx.Request) -> Iterator[httpx.Response]:
        """An answer that is read piece by piece."""
        try:
            response = self.client.send(request, stream=True)
        except httpx.TransportError as error:
            fail(request.url, error)
        try:
            if response.status_code >= 300:
                raise error_of(response.status_code, response.headers, document_of(response.read()))
            yield response
        finally:
            response.close()

    def events(self, stream: EventStream) -> Iterator[models.Event]:
        while not stream.is_over:
            try:
                with self.open(request_of(self.client, stream.next_call())) as response:
                    stream.note_location(response.headers.get("location"))
                    for piece in response.iter_bytes():
                        yield from stream.feed(piece)
            except (httpx.TransportError, ConnectionFailed):
                pass
            if not stream.is_over and not stream.may_go_on():
                raise ConnectionFailed("the stream of events broke off", "unavailable")

    def close(self) -> None:
        self.client.close()


class AsyncTransport:
    def __init__(self, found: settings.Settings):
        uds = {"transport": httpx.AsyncHTTPTransport(uds=found.unix_socket)} if found.unix_socket else {}
        self.client = httpx.AsyncClient(**client_options(found), **uds)

    async def send(self, call: calls.Call[T]) -> T:
        return answer(call, await self.exchange(request_of(self.client, call)))

    async def exchange(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self.client.send(request)
        except httpx.TransportError as error:
            fail(request.url, error)

    @contextlib.asynccontextmanager
    async def open(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        try:
            response = await self.client.send(request, stream=True)
        except httpx.TransportError as error:
            fail(request.url, error)
        try:
            if response.status_code >= 300:
                raise error_of(response.status_code, response.headers, document_of(await response.aread()))
            yield response
        finally:
            await response.aclose()

    async def events(self, stream: EventStream) -> AsyncIterator[models.Event]:
        while not stream.is_over:
            try:
                async with self.open(request_of(self.client, stream.next_call())) as response:
                    stream.note_location(response.headers.get("location"))
                    async for piece in response.aiter_bytes():
                        for event in stream.feed(piece):
                            yield event
            except (httpx.TransportError, ConnectionFailed):
                pass
            if not stream.is_over and not stream.may_go_on():
                raise ConnectionFailed("the stream of events broke off", "unavailable")

    async def close(self) -> None:
        await self.client.aclose()
