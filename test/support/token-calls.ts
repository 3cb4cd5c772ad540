import { assertionOf } from './client-assertion.ts'
import { baseRequest, basic, encode, obtainCode, postForm, verifier, type Change } from './flow.ts'
import type { Reply } from './reply.ts'
import type { ReachableServer, ServerUnderTest } from './server-under-test.ts'

export type ClientName = 'A' | 'B' | 'M' | 'N' | 'P' | 'RS' | 'X'

/** How a request authenticates its client: by a header or by form parameters. */
interface Credentials {
  readonly authorization?: string
  readonly form: Change
}

/** The valid credentials of a client, by its registered method. */
async function credentialsOf(under: ReachableServer, client: ClientName): Promise<Credentials> {
  if (client === 'B') return { form: await assertionOf(under) }
  if (client === 'X') return { form: { client_id: 'X', client_secret: under.clients.X.secret } }
  if (client === 'N' || client === 'P') return { form: { client_id: client } }
  return { authorization: basic(client, under.clients[client].secret), form: {} }
}

/** Posts a form as the client. A member of `form` set to `undefined` removes a credential. */
export async function postAs(
  under: ReachableServer,
  client: ClientName,
  call: { readonly path: string; readonly form: Change; readonly headers?: Readonly<Record<string, string>> },
): Promise<Reply> {
  const credentials = await credentialsOf(under, client)
  const headers = { authorization: credentials.authorization ?? '', ...call.headers }
  return postForm(under, call.path, encode({ ...credentials.form, ...call.form }), headers)
}

export const refresh = (
  under: ReachableServer,
  refreshToken: string,
  change: Change = {},
  client: ClientName = 'A',
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  postAs(under, client, {
    path: '/token',
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, ...change },
    headers,
  })

export const serviceToken = (under: ReachableServer, change: Change = {}, client: ClientName = 'M'): Promise<Reply> =>
  postAs(under, client, { path: '/token', form: { grant_type: 'client_credentials', scope: 'api.read', ...change } })

/** Introspects as the client that the token was issued to, unless another one is given. */
export const introspect = (
  under: ReachableServer,
  token: string,
  client: ClientName = 'A',
  change: Change = {},
): Promise<Reply> => postAs(under, client, { path: '/token/introspection', form: { token, ...change } })

export const revoke = (
  under: ReachableServer,
  token: string,
  client: ClientName = 'A',
  change: Change = {},
): Promise<Reply> => postAs(under, client, { path: '/token/revocation', form: { token, ...change } })

export const userinfo = (under: ReachableServer, accessToken: string): Promise<Reply> =>
  under.send({ path: '/userinfo', headers: { authorization: `Bearer ${accessToken}` } })

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

/** U1's tokens for a client, with `offline_access` unless changed. */
export async function tokensFor(
  under: ReachableServer,
  client: keyof typeof redirectUris,
  change: Change = {},
): Promise<Tokens> {
  const redirect_uri = redirectUris[client]
  const scope = change['scope'] ?? `${baseRequest.scope} offline_access`
  const code = await obtainCode(under, { client_id: client, redirect_uri, ...change, scope })
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
  const reply = await postAs(under, client, { path: '/token', form })
  if (reply.status !== 200) throw new Error(`No tokens: ${reply.status} ${reply.text}`)
  return tokensOf(reply)
}

export const tokensOf = (reply: Reply): Tokens => reply.json as unknown as Tokens

/** Lets every client authenticate once: storage records the first use of a secret, so later requests change nothing. */
export async function noteSecretsInUse(under: ReachableServer): Promise<void> {
  for (const client of ['A', 'M', 'RS', 'X'] as const) await introspect(under, 'none', client)
}

/** The stored token families. */
export const storedFamilies = (under: ServerUnderTest): unknown =>
  (JSON.parse(under.dump()) as { families: unknown }).families
