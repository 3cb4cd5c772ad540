import { toFetch } from '@mintmark/adapter-fetch'
import { createAuthorizationServer, createStoredKeys, registerClient } from '@mintmark/core'
import { createSignalTransmitter, signalScopes, type TransmitterEvent } from '@mintmark/signals'
import { epochSeconds } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { onTestFinished } from 'vitest'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'

export const receiverUrl = 'https://receiver.example/events'
export const sessionRevoked = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
export const accountDisabled = 'https://schemas.openid.net/secevent/risc/event-type/account-disabled'
/** A transmitter, and the subject of its events: a user of `provider-1`. */
export const okta = 'https://acme.okta.com'
export const kim = { format: 'iss_sub', iss: 'https://as.test', sub: 'user-kim' }
export const verification = 'https://schemas.openid.net/secevent/ssf/event-type/verification'
/** The delivery to an address of the receiver, with its credential. */
export const push = {
  method: 'urn:ietf:rfc:8935',
  endpoint_url: receiverUrl,
  authorization_header: 'Bearer of-receiver',
}

/** The claims of an event of the transmitter, for the audience `us`. */
export const revokedSessionClaims = (now: number) => ({
  iss: okta,
  aud: 'us',
  jti: 'j1',
  iat: now,
  sub_id: kim,
  events: { [sessionRevoked]: { event_timestamp: now } },
})

/** What the transmitter has sent. */
interface Pushed {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Starts an authorization server on SQLite with a transmitter of security events, and a receiver that may manage a stream. */
export async function startSignals({ issuer = 'https://as.test' }: { readonly issuer?: string } = {}) {
  let now = epochSeconds(1_790_000_000)
  const clock = () => now
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  const storage = await createSqlStorage({ dialect, issuer })
  const keys = createStoredKeys({
    storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    clock,
    algorithms: ['ES256', 'RS256'],
  })
  const pushed: Pushed[] = []
  const events: TransmitterEvent[] = []
  let status = 202
  const server = createAuthorizationServer({
    issuer,
    keys,
    storage,
    signedIn: () => Promise.resolve(undefined),
    clock,
    scopes: { ...signalScopes, other: 'Other' },
    fetch: (_url, init) => {
      pushed.push({ headers: Object.fromEntries(new Headers(init?.headers)), body: init?.body as string })
      return Promise.resolve(new Response(null, { status }))
    },
    purge: false,
    backChannelLogout: { afterRequests: false },
  })
  const transmitter = createSignalTransmitter({
    issuer,
    storage,
    keys,
    accessTokens: server,
    clock,
    onEvent: (event) => void events.push(event),
  })
  const fetchIt = toFetch(transmitter, server)
  const tokenOf = async (scope: string, more: Readonly<Record<string, string>> = {}) => {
    const { client, clientSecret } = await registerClient(
      { clientName: scope, grantTypes: ['client_credentials'], redirectUris: [], scopes: [scope] },
      { storage, clock },
    )
    const response = await fetchIt(
      new Request(`${issuer}/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${client.clientId}:${clientSecret ?? ''}`)}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope, ...more }).toString(),
      }),
    )
    const { access_token: token } = (await response.json()) as { readonly access_token: string }
    return { token, clientId: client.clientId }
  }
  const owner = await tokenOf('ssf.manage')
  const send = async (
    method: string,
    path: string,
    { body, ...given }: { readonly token?: string | undefined; readonly body?: unknown } = {},
  ) => {
    const token = 'token' in given ? given.token : owner.token
    const response = await fetchIt(
      new Request(new URL(path, issuer), {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return {
      status: response.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      contentType: response.headers.get('content-type'),
      challenge: response.headers.get('www-authenticate'),
    }
  }
  let streamId = ''
  return {
    storage,
    pushed,
    events,
    send,
    fetch: fetchIt,
    token: owner.token,
    receiver: owner.clientId,
    now: clock,
    tokenOf: async (scope: string, more?: Readonly<Record<string, string>>) => (await tokenOf(scope, more)).token,
    async create(change: object) {
      const reply = await send('POST', '/ssf/v1/streams', { token: owner.token, body: { delivery: push, ...change } })
      if (reply.status === 201) streamId = String(reply.body['stream_id'])
      return reply
    },
    streamId: () => streamId,
    deliver: () => server.deliverOnce(),
    answer: (next: number) => void (status = next),
    advance: (by: number) => void (now = epochSeconds(now + by)),
    async verify(set: string) {
      const jwks = (await (await fetchIt(new Request(`${issuer}/jwks`))).json()) as JSONWebKeySet
      const { payload } = await jwtVerify(set, createLocalJWKSet(jwks), {
        issuer,
        audience: owner.clientId,
        typ: 'secevent+jwt',
        algorithms: ['RS256'],
        currentDate: new Date(now * 1000),
      })
      return payload as typeof payload & { readonly events: object; readonly sub_id: unknown }
    },
  }
}
