import type { InteractionPage, SignedIn } from '@mintmark/core'
import type { ServerRequest } from '@mintmark/core/http'
import { randomSecret, systemRandom } from '@mintmark/internal'
import { type AdminStorage, type ClientRecord, type EpochSeconds, clientId } from '@mintmark/storage-interface'

/** The user who signs in, and the client that requests the sign-in. */
export interface SignInRequest {
  readonly subject: string
  readonly clientId: string
  /** The secret that `addClient` returned, for a client that has one. */
  readonly clientSecret?: string
  /** Default: all scope values that the client may request. */
  readonly scope?: string
  /** Default: the first redirect URI of the client. */
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
 * Performs the authorization code flow with PKCE, as a browser and a client would.
 * @throws Error, which quotes the response, if the server refuses a request.
 */
export async function signInAs(request: SignInRequest, deps: SignInDependencies): Promise<TestTokens> {
  const client = await deps.storage.clients.find(clientId(request.clientId))
  if (client === undefined) throw new Error(`There is no client ${request.clientId}. Add it with addClient.`)
  const redirectUri = request.redirectUri ?? client.redirectUris[0]
  if (redirectUri === undefined) throw new Error(`The client ${request.clientId} has no redirect URI.`)

  const verifier = createVerifier()
  const code = await obtainCode({ ...request, redirectUri, challenge: await codeChallenge(verifier), client }, deps)
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const response = await deps.fetch(`${deps.issuer}/token`, { method: 'POST', ...credentials(client, request, form) })
  if (response.status !== 200)
    throw new Error(`The server issued no tokens: ${response.status} ${await response.text()}`)
  // The cast states the type of a token response.
  return (await response.json()) as TestTokens
}

interface CodeRequest extends SignInRequest {
  readonly redirectUri: string
  readonly challenge: string
  readonly client: ClientRecord
}

/** Follows redirects within the issuer until one leads to the client, and returns the code in it. */
async function obtainCode(request: CodeRequest, { issuer, fetch }: SignInDependencies): Promise<string> {
  const headers = new Headers({ [userHeader]: request.subject })
  let url = authorizationUrl(request, issuer)
  for (let step = 0; step < maximumSteps; step += 1) {
    const response = await fetch(url, { headers, redirect: 'manual' })
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The server issued no code: ${response.status} ${await response.text()}`)
    url = new URL(location, url).href
    const { searchParams } = new URL(url)
    const code = searchParams.get('code')
    if (code !== null) return code
    if (searchParams.has('error'))
      throw new Error(
        `The server issued no code: ${searchParams.get('error')} ${searchParams.get('error_description')}`,
      )
  }
  throw new Error(`The server issued no code: the redirects did not end after ${maximumSteps} requests.`)
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
    // OIDC Core §11: a request for offline access must contain `prompt=consent`.
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
      throw new Error(
        'signIn does not support private_key_jwt. Request the tokens with your client library and the fetch function of the test issuer.',
      )
    case 'tls_client_auth':
    case 'self_signed_tls_client_auth':
      throw new Error('signIn does not support client certificates. Request the tokens with your client library.')
    default:
      throw new Error(
        'signIn does not support custom authentication methods. Request the tokens with your client library.',
      )
  }
}

const maximumSteps = 10

/** Creates a code verifier (RFC 7636 §4.1). */
const createVerifier = (): string => randomSecret(systemRandom)

/** Returns the S256 challenge of a code verifier (RFC 7636 §4.2). */
async function codeChallenge(verifier: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  return base64url(digest)
}

/** Encodes bytes as base64url without padding (RFC 4648 §5). */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The request header that names the user of the browser. */
const userHeader = 'x-test-person'

/** Returns the session of the user whom the request names. */
export const signedInUser =
  (now: () => EpochSeconds) =>
  async (request: ServerRequest): Promise<SignedIn | undefined> => {
    const user = userOf(request, now)
    // The clock stands still, but a sign-in on the page must be later than the session.
    return user && { ...user, authTime: user.authTime - 1 }
  }

/** Creates a page that signs in every user and consents to every request. */
export const approveAll =
  (now: () => EpochSeconds): InteractionPage =>
  async (pending, request) => {
    const user = userOf(request, now)
    if (user === undefined) return pending.deny()
    return pending.complete({ ...user, grantedScopes: pending.scopes.map(({ name }) => name) })
  }

function userOf(request: ServerRequest, now: () => EpochSeconds): SignedIn | undefined {
  const subject = request.headers.get(userHeader)
  return subject === undefined ? undefined : { subject, authTime: now(), amr: ['test'] }
}
