import { baseRequest, basic, encode, verifier, type Change } from '../support/flow.ts'
import { send, type Reply } from '../support/send.ts'
import type { FixtureClients } from '../support/fixture-clients.ts'

/** The members of a token response. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** The requests of client A, and of the browsers of its users, to any of the servers. */
export interface ClientRequests {
  /** Sends an authorization request from the browser of a signed-in user who has consented; of U1 by default. */
  authorize(port: number, user?: string, session?: string): Promise<Reply>
  /** Pushes the same authorization request. */
  push(port: number): Promise<Reply>
  /** Opens the pushed request in the browser of U1. */
  visit(port: number, requestUri: string): Promise<Reply>
  redeem(port: number, code: string): Promise<Reply>
  refresh(port: number, refreshToken: string): Promise<Reply>
  introspect(port: number, token: string): Promise<Reply>
  revoke(port: number, token: string): Promise<Reply>
  /** Names a user whom the server asks (CIBA Core 1.0). */
  ask(port: number, user: string, change?: Change): Promise<Reply>
  poll(port: number, authReqId: string): Promise<Reply>
  /** Presents an assertion of another issuer (RFC 7523 §2.1). */
  present(port: number, assertion: string): Promise<Reply>
  /** Exchanges an access token for one for the API (RFC 8693). */
  exchange(port: number, accessToken: string): Promise<Reply>
}

export function clientRequests(clients: FixtureClients): ClientRequests {
  const post = (port: number, path: string, form: Change): Promise<Reply> =>
    send(port, {
      method: 'POST',
      path,
      headers: {
        authorization: basic('A', clients.A.secret),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: encode(form),
    })

  return {
    authorize: (port, user = 'U1', session) => {
      const name = session === undefined ? '' : `.${session}`
      const cookie = `host=${user}.${Math.floor(Date.now() / 1000) - 5}${name}`
      const query = encode({ ...baseRequest, scope: 'openid offline_access' })
      return send(port, { path: `/auth?${query}`, headers: { cookie } })
    },
    push: (port) => post(port, '/auth/push', { ...baseRequest, scope: 'openid offline_access' }),
    visit: (port, request_uri) => {
      const cookie = `host=U1.${Math.floor(Date.now() / 1000) - 5}`
      return send(port, { path: `/auth?${encode({ client_id: 'A', request_uri })}`, headers: { cookie } })
    },
    redeem: (port, code) =>
      post(port, '/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: baseRequest.redirect_uri,
        code_verifier: verifier,
      }),
    refresh: (port, refresh_token) => post(port, '/token', { grant_type: 'refresh_token', refresh_token }),
    introspect: (port, token) => post(port, '/token/introspection', { token }),
    revoke: (port, token) => post(port, '/token/revocation', { token }),
    ask: (port, user, change = {}) =>
      post(port, '/bc-authorize', { scope: 'openid offline_access', login_hint: user, ...change }),
    poll: (port, auth_req_id) => post(port, '/token', { grant_type: 'urn:openid:params:grant-type:ciba', auth_req_id }),
    present: (port, assertion) =>
      post(port, '/token', { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    exchange: (port, subject_token) =>
      post(port, '/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      }),
  }
}

/** Returns the code of an authorization response. @throws Error if there is none. */
export function codeOf(reply: Reply): string {
  const code = reply.status < 400 ? reply.location.searchParams.get('code') : null
  if (code === null) throw new Error(`No code: ${reply.status} ${reply.text} ${reply.header('location')}`)
  return code
}

/** Returns the tokens of a token response. @throws Error if there are none. */
export function tokensOf(reply: Reply): Tokens {
  if (reply.status !== 200) throw new Error(`No tokens: ${reply.status} ${reply.text}`)
  return reply.json as unknown as Tokens
}
