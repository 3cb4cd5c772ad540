//! A confidential client with openidconnect, as its documentation shows it.
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreTokenResponse, CoreUserInfoClaims,
};
use openidconnect::{
    reqwest, AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, RedirectUrl, Scope, TokenResponse,
};
use std::error::Error;
use std::io::stdin;

fn main() {
    let title = std::cell::Cell::new("reads discovery");
    if let Err(error) = check_all(&title) {
        println!("failed {}: {error}", title.get());
    }
}

/// Ends at the first failure, because the checks that follow need the result.
fn check_all(title: &std::cell::Cell<&'static str>) -> Result<(), Box<dyn Error>> {
    let begin = |next: &'static str| {
        println!("passed {}", title.get());
        title.set(next);
    };
    let http = reqwest::blocking::ClientBuilder::new()
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let issuer = IssuerUrl::new(setting("ISSUER"))?;
    let metadata = CoreProviderMetadata::discover(&issuer, &http)?;
    let client = CoreClient::from_provider_metadata(
        metadata,
        ClientId::new(setting("CLIENT_ID")),
        Some(ClientSecret::new(setting("CLIENT_SECRET"))),
    )
    .set_redirect_uri(RedirectUrl::new(setting("REDIRECT_URI"))?);

    let mut tokens: Option<CoreTokenResponse> = None;
    for (next, uses_pkce) in [
        ("signs a user in with PKCE", true),
        ("signs a user in without PKCE; the ID token's signature, nonce and at_hash are valid", false),
    ] {
        begin(next);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut request = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scope(Scope::new("profile".into()))
            .add_scope(Scope::new("offline_access".into()));
        if uses_pkce {
            request = request.set_pkce_challenge(challenge);
        }
        let (url, state, nonce) = request.url();
        let code = visit(url.as_str(), state.secret())?;
        let mut exchange = client.exchange_code(AuthorizationCode::new(code))?;
        if uses_pkce {
            exchange = exchange.set_pkce_verifier(verifier);
        }
        let response = exchange.request(&http)?;
        let id_token = response.id_token().ok_or("no ID token")?;
        let id_token_verifier = client.id_token_verifier();
        let claims = id_token.claims(&id_token_verifier, &nonce)?;
        let expected = claims.access_token_hash().ok_or("no at_hash")?;
        let actual = AccessTokenHash::from_token(
            response.access_token(),
            id_token.signing_alg()?,
            id_token.signing_key(&id_token_verifier)?,
        )?;
        ensure(actual == *expected, "at_hash differs")?;
        ensure(claims.subject().as_str() == "U1", "another subject")?;
        tokens = Some(response);
    }
    let tokens = tokens.ok_or("no tokens")?;

    begin("calls userinfo");
    let info: CoreUserInfoClaims = client.user_info(tokens.access_token().clone(), None)?.request(&http)?;
    ensure(info.subject().as_str() == "U1", "another subject")?;

    begin("refreshes and gets a new refresh token");
    let refresh_token = tokens.refresh_token().ok_or("no refresh token")?;
    let renewed = client.exchange_refresh_token(refresh_token)?.request(&http)?;
    let rotated = renewed.refresh_token().ok_or("no new refresh token")?;
    ensure(rotated.secret() != refresh_token.secret(), "the refresh token did not change")?;

    begin("");
    Ok(())
}

/// Opens an address in the runner's browser and returns the code of the callback.
fn visit(url: &str, state: &str) -> Result<String, Box<dyn Error>> {
    println!("visit {url}");
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    let page: serde_json::Value = serde_json::from_str(&line)?;
    let last = openidconnect::url::Url::parse(page["url"].as_str().ok_or("no address")?)?;
    let parameter = |name: &str| last.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if let Some(error) = parameter("error") {
        return Err(format!("{error}: {}", parameter("error_description").unwrap_or_default()).into());
    }
    ensure(parameter("state").as_deref() == Some(state), "another state")?;
    Ok(parameter("code").ok_or("no code")?)
}

fn ensure(condition: bool, problem: &str) -> Result<(), Box<dyn Error>> {
    if condition { Ok(()) } else { Err(problem.into()) }
}

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
