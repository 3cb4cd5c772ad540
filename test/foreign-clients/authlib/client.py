"""A Flask application with Authlib, as its documentation shows it."""
import os
import threading

from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask, session, url_for
from werkzeug.serving import make_server

from checks import expect, report, visit

issuer = os.environ["ISSUER"]
app = Flask(__name__)
app.secret_key = "only for this run"
oauth = OAuth(app)
settings = {
    "client_id": os.environ["CLIENT_ID"],
    "client_secret": os.environ["CLIENT_SECRET"],
    "server_metadata_url": f"{issuer}/.well-known/openid-configuration",
    "client_kwargs": {"scope": "openid profile offline_access"},
}
oauth.register("default", **settings)
oauth.register("pkce", **{**settings, "client_kwargs": {**settings["client_kwargs"], "code_challenge_method": "S256"}})
tokens = {}
failures = {}


@app.route("/login/<name>")
def login(name):
    session["name"] = name
    return oauth.create_client(name).authorize_redirect(url_for("callback", _external=True))


@app.route("/callback")
def callback():
    name = session["name"]
    try:
        # Authlib verifies state, and the signature, issuer, audience, nonce, expiry and at_hash of the ID token.
        tokens[name] = oauth.create_client(name).authorize_access_token()
    except Exception as error:
        failures[name] = error
    return "seen"


def sign_in(name):
    visit(f"http://localhost:{os.environ['PORT']}/login/{name}")
    if name in failures:
        raise failures[name]
    expect(tokens[name]["userinfo"]["sub"], "U1")


def call_userinfo():
    info = oauth.default.userinfo(token=tokens["default"])
    expect(info["name"], "Ann Lee")


def refresh():
    before = tokens["default"]["refresh_token"]
    tokens["default"] = back_channel().refresh_token(oauth.default.server_metadata["token_endpoint"], before)
    if tokens["default"]["refresh_token"] == before:
        raise AssertionError("the refresh token did not change")


def revoke():
    endpoint = oauth.default.server_metadata["revocation_endpoint"]
    answer = back_channel().revoke_token(endpoint, tokens["default"]["refresh_token"], "refresh_token")
    expect(answer.status_code, 200)
    expect(oauth.default.get(oauth.default.server_metadata["userinfo_endpoint"], token=tokens["default"]).status_code, 401)


def back_channel():
    return OAuth2Session(settings["client_id"], settings["client_secret"], token=tokens["default"])


def client_credentials():
    machine = OAuth2Session(os.environ["MACHINE_ID"], os.environ["MACHINE_SECRET"], scope="api.read")
    token = machine.fetch_token(oauth.default.load_server_metadata()["token_endpoint"], grant_type="client_credentials")
    expect(token["token_type"], "Bearer")


server = make_server("localhost", int(os.environ["PORT"]), app)
threading.Thread(target=server.serve_forever, daemon=True).start()
report("signs a user in with PKCE", lambda: sign_in("pkce"))
report("signs a user in without PKCE; the ID token is valid", lambda: sign_in("default"))
report("calls userinfo", call_userinfo)
report("refreshes and gets a new refresh token", refresh)
report("revokes a refresh token", revoke)
report("gets a token with client credentials", client_credentials)
