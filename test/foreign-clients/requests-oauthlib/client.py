"""A confidential client with requests-oauthlib. PyJWT validates the ID tokens, because requests-oauthlib does not."""
import os

# Allows plain http, which this program uses only on the loopback interface.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import jwt
import requests
from oauthlib.oauth2 import BackendApplicationClient
from requests_oauthlib import OAuth2Session

from checks import expect, report, visit

issuer = os.environ["ISSUER"]
client_id = os.environ["CLIENT_ID"]
client_secret = os.environ["CLIENT_SECRET"]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration").json()
scope = ["openid", "profile", "offline_access"]
signed_in = {}


def sign_in(**options):
    oauth = OAuth2Session(client_id, redirect_uri=os.environ["REDIRECT_URI"], scope=scope, **options)
    url, _state = oauth.authorization_url(metadata["authorization_endpoint"], nonce="nonce-1")
    # requests-oauthlib verifies state.
    token = oauth.fetch_token(
        metadata["token_endpoint"], authorization_response=visit(url), client_secret=client_secret
    )
    key = jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(token["id_token"])
    algorithms = metadata["id_token_signing_alg_values_supported"]
    claims = jwt.decode(token["id_token"], key, algorithms=algorithms, audience=client_id, issuer=issuer)
    expect((claims["sub"], claims["nonce"]), ("U1", "nonce-1"))
    signed_in["oauth"] = oauth
    signed_in["token"] = token


def call_userinfo():
    expect(signed_in["oauth"].get(metadata["userinfo_endpoint"]).json()["name"], "Ann Lee")


def refresh():
    """Sends the secret as a parameter of the body, as the documentation of requests-oauthlib shows."""
    refresh_with(client_id=client_id, client_secret=client_secret)


def refresh_in_header():
    refresh_with(auth=requests.auth.HTTPBasicAuth(client_id, client_secret))


def refresh_with(**options):
    before = signed_in["token"]["refresh_token"]
    signed_in["token"] = signed_in["oauth"].refresh_token(metadata["token_endpoint"], refresh_token=before, **options)
    if signed_in["token"]["refresh_token"] == before:
        raise AssertionError("the refresh token did not change")


def client_credentials():
    machine = OAuth2Session(client=BackendApplicationClient(os.environ["MACHINE_ID"], scope=["api.read"]))
    token = machine.fetch_token(
        metadata["token_endpoint"],
        client_id=os.environ["MACHINE_ID"],
        client_secret=os.environ["MACHINE_SECRET"],
    )
    expect(token["token_type"].lower(), "bearer")


report("signs a user in with PKCE", lambda: sign_in(pkce="S256"))
report("signs a user in without PKCE", sign_in)
report("calls userinfo", call_userinfo)
report("refreshes with the secret in the body", refresh)
report("refreshes with the secret in the header", refresh_in_header)
report("gets a token with client credentials", client_credentials)
