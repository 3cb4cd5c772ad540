"""An MCP client with the official SDK, as its documentation shows it."""
import asyncio
import os
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
from pydantic import AnyUrl

from checks import expect, report, visit

server = os.environ["MCP_SERVER"]
redirect_uri = os.environ["REDIRECT_URI"]


# The last address of each sign-in: the redirect URI with the authorization response.
visited = []


class Memory:
    def __init__(self, client=None):
        self.tokens = None
        self.client = client

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def provider_for(memory, change=lambda answer: answer):
    """Returns a provider that signs in with the browser; `change` alters the authorization response."""
    async def redirect(url):
        visited.append(visit(url))

    async def callback():
        answer = {name: values[0] for name, values in parse_qs(urlsplit(visited[-1]).query).items()}
        answer = change(answer)
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer.get("iss"))

    return OAuthClientProvider(
        server_url=server,
        client_metadata=OAuthClientMetadata(
            client_name="Tool",
            redirect_uris=[AnyUrl(redirect_uri)],
            grant_types=["authorization_code", "refresh_token"],
        ),
        storage=memory,
        redirect_handler=redirect,
        callback_handler=callback,
        client_metadata_url=os.environ["CLIENT_DOCUMENT"],
    )


async def run_connected(provider, use):
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        async with Client(streamable_http_client(server, http_client=http)) as client:
            return await use(client)


async def text_of(client, tool, arguments):
    return (await client.call_tool(tool, arguments)).content[0].text


document_memory = Memory()


def use_metadata_document():
    notes = asyncio.run(run_connected(provider_for(document_memory), lambda client: text_of(client, "list_notes", {})))
    expect(notes, "No notes yet.")
    expect(document_memory.client.client_id, os.environ["CLIENT_DOCUMENT"])


def use_registered_client():
    client = OAuthClientInformationFull(
        client_id=os.environ["CLIENT_ID"],
        client_secret=os.environ["CLIENT_SECRET"],
        token_endpoint_auth_method="client_secret_post",
        redirect_uris=[AnyUrl(redirect_uri)],
        issuer=os.environ["ISSUER"],
    )
    memory = Memory(client)
    notes = asyncio.run(run_connected(provider_for(memory), lambda client: text_of(client, "list_notes", {})))
    expect(notes, "No notes yet.")
    expect(memory.client.client_id, os.environ["CLIENT_ID"])


def step_up():
    async def add(client):
        expect(await text_of(client, "add_note", {"text": "Milk"}), "Added.")
        return await text_of(client, "list_notes", {})

    expect(asyncio.run(run_connected(provider_for(document_memory), add)), "Milk")
    expect("notes.write" in document_memory.tokens.scope.split(), True)


def refresh():
    memory = Memory()
    provider = provider_for(memory)

    async def call_twice(client):
        await text_of(client, "list_notes", {})
        before, visits = memory.tokens.refresh_token, len(visited)
        # Makes the SDK treat the access token as expired.
        provider.context.token_expiry_time = 1
        await text_of(client, "list_notes", {})
        expect(len(visited), visits)
        return before

    if asyncio.run(run_connected(provider, call_twice)) == memory.tokens.refresh_token:
        raise AssertionError("the refresh token did not change")


def reject_other_issuer():
    memory = Memory()
    provider = provider_for(memory, lambda answer: {**answer, "iss": "https://evil.test"})
    try:
        asyncio.run(run_connected(provider, lambda client: text_of(client, "list_notes", {})))
    except BaseException:
        expect(memory.tokens, None)
    else:
        raise AssertionError("the response was accepted")


report("signs a user in with a metadata document and calls a tool", use_metadata_document)
report("signs a user in with a registered client and calls a tool", use_registered_client)
report("asks the user for a further scope when a tool needs it", step_up)
report("refreshes and gets a new refresh token", refresh)
report("rejects a response with another issuer", reject_other_issuer)
