// Authorization code with PKCE for a public client (RFC 6749 §4.1, RFC 7636), without a library.
const issuer = location.origin
const client = { client_id: 'pocket-notes', redirect_uri: `${location.origin}/spa/` }

async function start() {
  element('sign-in').addEventListener('submit', (event) => {
    event.preventDefault()
    void signIn(event.target.elements.email.checked ? 'openid profile email' : 'openid profile').catch(showProblem)
  })
  element('forget').addEventListener('click', () => location.replace('/spa/'))

  const response = new URLSearchParams(location.search)
  if (!response.has('state')) return show('sign-in')
  // The code must not stay in the address bar and the history.
  history.replaceState(undefined, '', '/spa/')
  try {
    await showTokens(await finishSignIn(response))
  } catch (error) {
    showProblem(error)
  }
}

/** Sends the browser to the server. The secrets of this attempt are kept in the session storage of the tab. */
async function signIn(scope) {
  const { authorization_endpoint: endpoint } = await getJson(`${issuer}/.well-known/openid-configuration`)
  const attempt = { state: randomText(), nonce: randomText(), codeVerifier: randomText() }
  sessionStorage.setItem('attempt', JSON.stringify(attempt))

  location.assign(
    `${endpoint}?${new URLSearchParams({
      ...client,
      response_type: 'code',
      scope,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await digest(attempt.codeVerifier),
      code_challenge_method: 'S256',
    })}`,
  )
}

/** Checks the server's response, and exchanges its code for tokens. */
async function finishSignIn(response) {
  const attempt = JSON.parse(sessionStorage.getItem('attempt') ?? '{}')
  sessionStorage.removeItem('attempt')
  // RFC 6749 §10.12: a response with another state was not requested by this tab.
  if (response.get('state') !== attempt.state)
    throw new Problem('state', 'This response belongs to another sign-in. Start again.')
  // RFC 9207 §2.4: a response with another issuer comes from another server.
  if (response.get('iss') !== issuer) throw new Problem('iss', 'This response comes from another server.')
  const error = response.get('error')
  if (error !== null) throw new Problem(error, response.get('error_description') ?? '')

  const metadata = await getJson(`${issuer}/.well-known/openid-configuration`)
  const tokens = await getJson(metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      ...client,
      grant_type: 'authorization_code',
      code: response.get('code') ?? '',
      code_verifier: attempt.codeVerifier,
    }),
  })
  // OIDC Core §3.1.3.7, item 6: this token came directly from the server, so its signature need not be verified.
  const idToken = decode(tokens.id_token)
  const isForUs = idToken.iss === issuer && idToken.aud === client.client_id && idToken.nonce === attempt.nonce
  if (!isForUs || idToken.exp * 1000 <= Date.now())
    throw new Problem('id_token', 'The ID token is not for this sign-in.')

  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const userinfo = await getJson(metadata.userinfo_endpoint, { headers })
  // OIDC Core §5.3.2: userinfo must be about the same user.
  if (userinfo.sub !== idToken.sub) throw new Problem('sub', 'The userinfo response is about another user.')
  return { userinfo, idToken, accessToken: decode(tokens.access_token) }
}

async function showTokens({ userinfo, idToken, accessToken }) {
  element('hello').textContent = `Signed in as ${userinfo.name ?? userinfo.sub}`
  element('userinfo').textContent = readable(userinfo)
  element('id-token').textContent = readable(idToken)
  element('access-token').textContent = readable(accessToken)
  show('signed-in')
  element('hello').focus()
}

function showProblem(error) {
  element('problem-code').textContent = error.code ?? 'error'
  element('problem-text').textContent = error.message
  show('problem')
  show('sign-in')
}

async function getJson(url, init) {
  const response = await fetch(url, init)
  const body = await response.json()
  if (!response.ok) throw new Problem(body.error ?? String(response.status), body.error_description ?? '')
  return body
}

class Problem extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

const digest = async (text) => base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Returns the claims of a JWT without verifying it. */
function decode(jwt) {
  const payload = atob(jwt.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(payload, (character) => character.charCodeAt(0))))
}

const readable = (value) => JSON.stringify(value, undefined, 2)
const element = (id) => document.getElementById(id)
const show = (id) => element(id).removeAttribute('hidden')

await start()
