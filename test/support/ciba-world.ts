import { type AuthorizationServerOptions, registerClient } from '@mintmark/core'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'
import { onTestFinished } from 'vitest'

import { changeClient } from './fixture-clients.ts'
import { basic, encode, postForm, type Change } from './flow.ts'
import { signEs256, writeJws, type SignBytes } from './forge-jwt.ts'
import type { Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

export const cibaGrant = 'urn:openid:params:grant-type:ciba'

type CibaOptions = NonNullable<AuthorizationServerOptions['ciba']>
export type Pending = Parameters<CibaOptions['askUser']>[0]

/** A server with clients that name users, and the questions that the host got. */
export interface CibaSite extends ServerUnderTest {
  /** What the host was asked, newest last. */
  readonly asked: Pending[]
  /** The headers with which C, D and E authenticate, and the secrets in them. */
  readonly credentials: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  readonly signingKey: CryptoKey
}

export const cibaScope = 'openid profile offline_access'

/** Finds users by their identifier, and knows one expired token. */
export const findUser: CibaOptions['findUser'] = ({ kind, value }) =>
  Promise.resolve(kind === 'login_hint_token' && value === 'old' ? 'expired' : { subject: value })

/** Starts a server with the option `ciba`, and registers C and E, which poll, and D, which signs its requests. */
export async function startCibaServer(
  options: Parameters<typeof startServer>[0] = {},
  ciba: Partial<CibaOptions> = {},
  start: (options: Parameters<typeof startServer>[0]) => Promise<ServerUnderTest> = startServer,
): Promise<CibaSite> {
  const asked: Pending[] = []
  const askUser = (pending: Pending) => Promise.resolve(void asked.push(pending))
  const site = await start({ ciba: { findUser, askUser, ...ciba }, ...options })
  onTestFinished(() => site.close())
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'd1' }] }
  const deps = { storage: site.storage, clock: site.clock.now }
  const agent = { grantTypes: [cibaGrant, 'refresh_token'], scopes: cibaScope.split(' ') }
  const clients = [
    { ...agent, clientId: 'C', clientName: 'Call centre' },
    { ...agent, clientId: 'E', clientName: 'Other centre' },
    {
      ...agent,
      clientId: 'D',
      clientName: 'Desk',
      jwks,
      backchannelAuthenticationRequestSigningAlg: 'ES256',
    },
  ] as const
  const registered = await Promise.all(clients.map((client) => registerClient(client, deps)))
  const secrets = Object.fromEntries(
    registered.map(({ client: { clientId }, clientSecret = '' }) => [clientId, clientSecret]),
  )
  const credentials = Object.fromEntries(Object.entries(secrets).map(([id, secret]) => [id, basic(id, secret)]))
  // As if the secrets had been used today: the next use changes nothing in storage.
  for (const { client } of registered) {
    const used = client.secrets.map((secret) => ({ ...secret, lastUsedAt: site.clock.now() }))
    await changeClient(site.storage, client.clientId, { secrets: used })
  }
  return { ...site, asked, credentials, secrets, signingKey: privateKey }
}

/** Sends the request of C about U1 (CIBA Core 1.0 §7.1). */
export const ask = (
  site: CibaSite,
  change: Change = {},
  { as = 'C', ...headers }: Record<string, string> = {},
): Promise<Reply> =>
  postForm(
    site,
    '/bc-authorize',
    encode({ scope: cibaScope, login_hint: 'U1', binding_message: 'Order 1234', ...change }),
    { authorization: site.credentials[as] ?? '', ...headers },
  )

/** Sends the request, and returns the identifier with which C polls, and the question that the host got. */
export async function askForId(site: CibaSite, change: Change = {}, headers: Record<string, string> = {}) {
  const reply = await ask(site, change, headers)
  const pending = site.asked.at(-1)
  if (reply.status !== 200 || pending === undefined) throw new Error(`Not asked: ${reply.status} ${reply.text}`)
  return { authReqId: String(reply.json['auth_req_id']), pending }
}

/** Polls as C (CIBA Core 1.0 §10.1). */
export const poll = (
  site: CibaSite,
  authReqId: string | undefined,
  change: Change = {},
  { as = 'C', ...headers }: Record<string, string> = {},
): Promise<Reply> =>
  postForm(site, '/token', encode({ grant_type: cibaGrant, auth_req_id: authReqId, ...change }), {
    authorization: site.credentials[as] ?? '',
    ...headers,
  })

/** Refreshes as C. */
export const refresh = (site: CibaSite, refreshToken: string): Promise<Reply> =>
  postForm(site, '/token', encode({ grant_type: 'refresh_token', refresh_token: refreshToken }), {
    authorization: site.credentials['C'] ?? '',
  })

/** How U1 signed in on their phone, and what they grant. */
export const answerOf = (site: CibaSite, change: Partial<Parameters<Pending['approve']>[0]> = {}) => ({
  subject: 'U1',
  authTime: site.clock.now(),
  amr: ['hwk'],
  sessionId: 'phone-U1',
  grantedScopes: cibaScope.split(' '),
  ...change,
})

/** Signs a request of D (CIBA Core 1.0 §7.1.1). A claim set to `undefined` is left out. */
export function signRequest(
  site: CibaSite,
  change: {
    readonly header?: Readonly<Record<string, unknown>>
    readonly claims?: Readonly<Record<string, unknown>>
    readonly sign?: SignBytes
  } = {},
): Promise<string> {
  const now = site.clock.now()
  const claims = { iss: 'D', aud: site.issuer, exp: now + 60, iat: now, nbf: now, jti: `request-${now}` }
  const parameters = { scope: cibaScope, login_hint: 'U1', binding_message: 'Order 1234' }
  return writeJws(
    { alg: 'ES256', kid: 'd1', ...change.header },
    { ...claims, ...parameters, ...change.claims },
    change.sign ?? signEs256(site.signingKey),
  )
}

/** Sends a signed request of D, and nothing else. */
export const askSigned = async (site: CibaSite, request: string, change: Change = {}): Promise<Reply> =>
  postForm(site, '/bc-authorize', encode({ request, ...change }), { authorization: site.credentials['D'] ?? '' })
