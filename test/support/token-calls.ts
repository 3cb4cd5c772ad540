import { assertionOf } from './client-assertion.ts'
import { baseRequest, basic, encode, obtainCode, postForm, verifier, type Change } from './flow.ts'
import type { Reply } from './send.ts'
import type { ReachableServer, ServerUnderTest } from './server-under-test.ts'

export type ClientName = 'A' | 'B' | 'M' | 'N' | 'P' | 'RS' | 'X'

/** How a request authenticates its client: by a header or by form parameters. */
interface Credentials {
  readonly authorization?: string
  readonly form: Change
}

/** Returns valid credentials of a client for its registered authentication method. */
async function credentialsOf(site: ReachableServer, client: ClientName): Promise<Credentials> {
  if (client === 'B') return { form: await assertionOf(site) }
  if (client === 'X') return { form: { client_id: 'X', client_secret: site.clients.X.secret } }
  if (client === 'N' || client === 'P') return { form: { client_id: client } }
  return { authorization: basic(client, site.clients[client].secret), form: {} }
}

/** Posts a form as the client. A member of `form` set to `undefined` removes a credential. */
export async function postAs(
  site: ReachableServer,
  client: ClientName,
  call: { readonly path: string; readonly form: Change; readonly headers?: Readonly<Record<string, string>> },
): Promise<Reply> {
  const credentials = await credentialsOf(site, client)
  const headers = { authorization: credentials.authorization ?? '', ...call.headers }
  return postForm(site, call.path, encode({ ...credentials.form, ...call.form }), headers)
}

export const refresh = (
  site: ReachableServer,
  refreshToken: string,
  change: Change = {},
  client: ClientName = 'A',
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  postAs(site, client, {
    path: '/token',
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, ...change },
    headers,
  })

export const serviceToken = (site: ReachableServer, change: Change = {}, client: ClientName = 'M'): Promise<Reply> =>
  postAs(site, client, { path: '/token', form: { grant_type: 'client_credentials', scope: 'api.read', ...change } })

/** Introspects a token as client A, unless another client is given. */
export const introspect = (
  site: ReachableServer,
  token: string,
  client: ClientName = 'A',
  change: Change = {},
): Promise<Reply> => postAs(site, client, { path: '/token/introspection', form: { token, ...change } })

export const revoke = (
  site: ReachableServer,
  token: string,
  client: ClientName = 'A',
  change: Change = {},
): Promise<Reply> => postAs(site, client, { path: '/token/revocation', form: { token, ...change } })

export const userinfo = (site: ReachableServer, accessToken: string): Promise<Reply> =>
  site.send({ path: '/userinfo', headers: { authorization: `Bearer ${accessToken}` } })

const redirectUris = {
  A: 'https://app.test/cb',
  B: 'https://b.test/cb',
  N: 'http://127.0.0.1/cb',
  P: 'https://spa.test/cb',
  X: 'https://x.test/cb',
} as const

/** The members of a token response. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly scope: string
}

/** Obtains U1's tokens for a client, with `offline_access` unless changed. */
export async function tokensFor(
  site: ReachableServer,
  client: keyof typeof redirectUris,
  change: Change = {},
): Promise<Tokens> {
  const redirect_uri = redirectUris[client]
  const scope = change['scope'] ?? `${baseRequest.scope} offline_access`
  const code = await obtainCode(site, { client_id: client, redirect_uri, ...change, scope })
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
  const reply = await postAs(site, client, { path: '/token', form })
  if (reply.status !== 200) throw new Error(`No tokens: ${reply.status} ${reply.text}`)
  return tokensOf(reply)
}

export const tokensOf = (reply: Reply): Tokens => reply.json as unknown as Tokens

/**
 * Authenticates each client that has a secret once. Storage records the first use of a secret; later requests then leave
 * storage unchanged.
 */
export async function authenticateEveryClient(site: ReachableServer): Promise<void> {
  for (const client of ['A', 'M', 'RS', 'X'] as const) await introspect(site, 'none', client)
}

/** Returns the stored token families. */
export const storedFamilies = (site: ServerUnderTest): unknown =>
  (JSON.parse(site.dump()) as { families: unknown }).families
