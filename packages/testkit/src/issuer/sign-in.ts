import type { InteractionPage, SignedIn } from '@mintmark/core'
import type { ServerRequest } from '@mintmark/core/http'
import { randomSecret, systemRandom } from '@mintmark/internal'
import { type AdminStorage, type ClientRecord, type EpochSeconds, clientId } from '@mintmark/storage-interface'

/** The user who signs in, and the client. */
export interface SignInRequest {
  readonly subject: string
  readonly clientId: string
  /** For a client that has one; as `addClient` returned it. */
  readonly clientSecret?: string
  /** Default: all that the client may ask for. */
  readonly scope?: string
  /** Default: the first that the client registered. */
  readonly redirectUri?: string
  readonly nonce?: string
  /** The API that the access token is for (RFC 8707). */
  readonly resource?: string
}

/** The token response (RFC 6749 §5.1). */
export interface TestTokens {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly id_token?: string
}

interface SignInDependencies {
  readonly issuer: string
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  readonly storage: AdminStorage
}

/**
 * Goes through the authorization code flow with PKCE, as a browser and a client would.
 * @throws Error that quotes the answer when the server refuses.
 */
export async function signInAs(request: SignInRequest, deps: SignInDependencies): Promise<TestTokens> {
  const client = await deps.storage.clients.find(clientId(request.clientId))
  if (client === undefined) throw new Error(`There is no client ${request.clientId}. Add it with addClient.`)
  const redirectUri = request.redirectUri ?? client.redirectUris[0]
  if (redirectUri === undefined) throw new Error(`The client ${request.clientId} has no redirect URI.`)

  const verifier = newVerifier()
  const code = await obtainCode({ ...request, redirectUri, challenge: await codeChallenge(verifier), client }, deps)
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const response = await deps.fetch(`${deps.issuer}/token`, { method: 'POST', ...credentials(client, request, form) })
  if (response.status !== 200) throw new Error(`No tokens: ${response.status} ${await response.text()}`)
  // The cast states the shape of a token response.
  return (await response.json()) as TestTokens
}

interface CodeRequest extends SignInRequest {
  readonly redirectUri: string
  readonly challenge: string
  readonly client: ClientRecord
}

/** Follows the redirects inside the issuer until one leaves for the client. */
async function obtainCode(request: CodeRequest, { issuer, fetch }: SignInDependencies): Promise<string> {
  const headers = new Headers({ [userHeader]: request.subject })
  let url = authorizationUrl(request, issuer)
  for (let step = 0; step < maximumSteps; step += 1) {
    const response = await fetch(url, { headers, redirect: 'manual' })
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
    const location = response.headers.get('location')
    if (location === null) throw new Error(`No code: ${response.status} ${await response.text()}`)
    url = new URL(location, url).href
    const { searchParams } = new URL(url)
    const code = searchParams.get('code')
    if (code !== null) return code
    if (searchParams.has('error'))
      throw new Error(`No code: ${searchParams.get('error')} ${searchParams.get('error_description')}`)
  }
  throw new Error('No code: the redirects do not end.')
}

function authorizationUrl(
  { client, redirectUri, challenge, scope, nonce, resource }: CodeRequest,
  issuer: string,
): string {
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope: scope ?? client.scopes.join(' '),
    code_challenge: challenge,
    code_challenge_method: 'S256',
    // RFC 6749 §4.1.1, OIDC Core §11: a request for offline access must ask for consent.
    prompt: 'consent',
    ...(nonce === undefined ? {} : { nonce }),
    ...(resource === undefined ? {} : { resource }),
  }
  return `${issuer}/auth?${new URLSearchParams(parameters).toString()}`
}

function credentials(
  client: ClientRecord,
  { clientSecret = '' }: SignInRequest,
  form: Readonly<Record<string, string>>,
) {
  switch (client.tokenEndpointAuthMethod) {
    case 'none':
      return { body: new URLSearchParams({ ...form, client_id: client.clientId }) }
    case 'client_secret_post':
      return { body: new URLSearchParams({ ...form, client_id: client.clientId, client_secret: clientSecret }) }
    case 'client_secret':
    case 'client_secret_basic': {
      const pair = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(clientSecret)}`
      return { body: new URLSearchParams(form), headers: { authorization: `Basic ${btoa(pair)}` } }
    }
    case 'private_key_jwt':
      throw new Error('signIn does not sign client assertions: let your client library ask for the tokens, with fetch.')
    case 'tls_client_auth':
    case 'self_signed_tls_client_auth':
      throw new Error('signIn presents no certificates: let your client library ask for the tokens.')
    default:
      throw new Error('signIn does not know authentication methods of your own: let your client ask for the tokens.')
  }
}

const maximumSteps = 10

/** A code verifier (RFC 7636 §4.1). */
const newVerifier = (): string => randomSecret(systemRandom)

/** Its S256 challenge (RFC 7636 §4.2). */
async function codeChallenge(verifier: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  return base64url(digest)
}

/** Base64url without padding (RFC 4648 §5). */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The header that says who is at the browser. */
const userHeader = 'x-test-person'

/** The session of the user that the request names. */
export const signedInUser =
  (now: () => EpochSeconds) =>
  async (request: ServerRequest): Promise<SignedIn | undefined> => {
    const person = personOf(request, now)
    // The clock stands still, and a sign-in on the page has to be later than the session.
    return person && { ...person, authTime: person.authTime - 1 }
  }

/** A page that signs in every user and consents to every request. */
export const waveThrough =
  (now: () => EpochSeconds): InteractionPage =>
  async (pending, request) => {
    const person = personOf(request, now)
    if (person === undefined) return pending.deny()
    return pending.complete({ ...person, grantedScopes: pending.scopes.map(({ name }) => name) })
  }

function personOf(request: ServerRequest, now: () => EpochSeconds): SignedIn | undefined {
  const subject = request.headers.get(userHeader)
  return subject === undefined ? undefined : { subject, authTime: now(), amr: ['test'] }
}
