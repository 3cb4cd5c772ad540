import type { RefusalReason } from '@mintmark/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { encode, obtainCode, postForm, redeem, type Change } from '../support/flow.ts'
import { readJws, setUnusedBits } from '../support/forge-jwt.ts'
import { expectServing, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  postAs,
  refresh,
  serviceToken,
  storedFamilies,
  tokensFor,
  tokensOf,
  userinfo,
  type ClientName,
  type Tokens,
} from '../support/token-calls.ts'

// One file, because most of its lines are the table of rejected requests.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

interface Row {
  readonly row: string
  readonly client?: ClientName
  /** Returns the parameters that change a valid refresh of A's token. */
  readonly form: (tokens: Tokens) => Change | Promise<Change>
  readonly status: number
  readonly error: string
  readonly reason: RefusalReason
}

const unknownToken = { status: 400, error: 'invalid_grant', reason: 'refresh_token_unknown' } as const
const wrongClient = { status: 401, error: 'invalid_client' } as const
const noForm = (): Change => ({})

describe('a rejected refresh leaves the refresh token usable', () => {
  const rows: readonly Row[] = [
    {
      row: 'a request without refresh_token is refused (RFC 6749 §6)',
      form: () => ({ refresh_token: undefined }),
      status: 400,
      error: 'invalid_request',
      reason: 'refresh_token_missing',
    },
    {
      row: 'an empty refresh_token is treated as absent (RFC 6749 §3.2)',
      form: () => ({ refresh_token: '' }),
      status: 400,
      error: 'invalid_request',
      reason: 'refresh_token_missing',
    },
    { row: "A's token presented by B is refused (RFC 6749 §10.4)", client: 'B', form: noForm, ...unknownToken },
    {
      row: "A's token does not reveal its scopes to B (RFC 6749 §10.4)",
      client: 'B',
      form: () => ({ scope: 'api.write' }),
      ...unknownToken,
    },
    {
      row: "A's token presented by the public client P is refused (RFC 6749 §10.4)",
      client: 'P',
      form: noForm,
      ...unknownToken,
    },
    {
      row: "A's token presented by a client that authenticates with client_secret_post is refused (RFC 6749 §10.4)",
      client: 'X',
      form: noForm,
      ...unknownToken,
    },
    {
      row: 'a client that is not registered to refresh is refused (RFC 6749 §5.2)',
      client: 'M',
      form: noForm,
      status: 400,
      error: 'unauthorized_client',
      reason: 'grant_type_not_registered',
    },
    {
      row: "A's client_id without its secret is refused (OAuth 2.1 §3.2.1)",
      client: 'P',
      form: () => ({ client_id: 'A' }),
      ...wrongClient,
      reason: 'client_authentication_method',
    },
    {
      row: 'client A with an empty secret is refused (OAuth 2.1 §3.2.1)',
      client: 'P',
      form: () => ({ client_id: 'A', client_secret: '' }),
      ...wrongClient,
      reason: 'client_authentication_method',
    },
    {
      row: 'a request without client authentication is refused (OAuth 2.1 §3.2.1)',
      client: 'P',
      form: () => ({ client_id: undefined }),
      ...wrongClient,
      reason: 'client_authentication_missing',
    },
    {
      row: 'a scope that was not granted is refused, and the token is not rotated (RFC 6749 §6)',
      form: () => ({ scope: 'api.write' }),
      status: 400,
      error: 'invalid_scope',
      reason: 'scope_not_granted',
    },
    {
      row: 'a scope that is registered but was not granted is refused (RFC 6749 §6)',
      form: () => ({ scope: 'api.read' }),
      status: 400,
      error: 'invalid_scope',
      reason: 'scope_not_granted',
    },
    {
      row: 'a scope in another case is another scope (RFC 6749 §3.3)',
      form: () => ({ scope: 'OPENID' }),
      status: 400,
      error: 'invalid_scope',
      reason: 'scope_not_granted',
    },
    {
      row: 'a scope of spaces is refused (RFC 6749 §3.3)',
      form: () => ({ scope: '  ' }),
      status: 400,
      error: 'invalid_scope',
      reason: 'scope_not_granted',
    },
    {
      row: 'a resource that was not granted is refused (RFC 8707 §2.2)',
      form: () => ({ resource: 'https://api.test' }),
      status: 400,
      error: 'invalid_target',
      reason: 'resource_not_granted',
    },
    {
      row: 'a random token of the right length is refused (RFC 6749 §6)',
      form: () => ({ refresh_token: 'A'.repeat(107) }),
      ...unknownToken,
    },
    {
      row: 'an access token is not a refresh token (RFC 6749 §6)',
      form: (tokens) => ({ refresh_token: tokens.access_token }),
      ...unknownToken,
    },
    {
      row: 'an ID token is not a refresh token (RFC 6749 §6)',
      form: (tokens) => ({ refresh_token: tokens.id_token }),
      ...unknownToken,
    },
    {
      row: 'an authorization code is not a refresh token (RFC 6749 §6)',
      form: async () => ({ refresh_token: await obtainCode(site) }),
      ...unknownToken,
    },
    {
      row: 'a token with trailing white space is refused (RFC 6749 §6)',
      form: (tokens) => ({ refresh_token: `${tokens.refresh_token} ` }),
      ...unknownToken,
    },
    {
      row: 'a token with a trailing NUL is refused (RFC 6749 §6)',
      form: (tokens) => ({ refresh_token: `${tokens.refresh_token}\0` }),
      ...unknownToken,
    },
    {
      row: 'a token whose unused bits are set is refused (RFC 4648 §3.5)',
      form: (tokens) => ({ refresh_token: setUnusedBits(tokens.refresh_token) }),
      ...unknownToken,
    },
    {
      row: 'a token with padding is refused (RFC 4648 §5)',
      form: (tokens) => ({ refresh_token: `${tokens.refresh_token}=` }),
      ...unknownToken,
    },
  ]

  it.each(rows)('$row', async ({ client = 'A', form, status, error, reason }) => {
    const tokens = await tokensFor(site, 'A')
    const change = await form(tokens)
    const families = storedFamilies(site)

    await expectJsonRefusal(
      site,
      { status, error },
      {
        send: () => refresh(site, tokens.refresh_token, change, client),
        reason,
        // An assertion's jti is used up even when the grant is refused.
        storage: client === 'B' ? 'may change' : 'unchanged',
        secrets: [tokens.refresh_token],
      },
    )

    expect(storedFamilies(site)).toEqual(families)
    expect((await refresh(site, tokens.refresh_token)).status).toBe(200)
  })

  it('rejects every prefix of a token and every token with a character added or changed (RFC 6749 §6)', async () => {
    const { refresh_token: good } = await tokensFor(site, 'A')
    const other = (at: number): string => good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1)
    const damaged = [1, 32, 43, 85, 106].map((length) => good.slice(0, length))
    damaged.push(`${good}A`, `A${good}`, good.toUpperCase(), ...[0, 42, 43, 85, 86, 105].map(other))

    for (const text of damaged) {
      await expectJsonRefusal(
        site,
        { status: 400, error: 'invalid_grant' },
        {
          send: () => refresh(site, text),
          reason: 'refresh_token_unknown',
        },
      )
    }

    expect((await refresh(site, good)).status).toBe(200)
  })

  it('rejects two refresh tokens (RFC 6749 §3.2)', async () => {
    const { refresh_token: good } = await tokensFor(site, 'A')
    const form = { grant_type: 'refresh_token', refresh_token: good }

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      {
        send: () => postForm(site, '/token', `${encode(form)}&refresh_token=x`, { authorization: basicOfA() }),
        reason: 'parameter_repeated',
        secrets: [good],
      },
    )
  })

  it('does not read a refresh token from the query, nor write it to events (RFC 6749 §3.2)', async () => {
    const { refresh_token: good } = await tokensFor(site, 'A')

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      {
        send: () => postAs(site, 'A', { path: `/token?refresh_token=${good}`, form: { grant_type: 'refresh_token' } }),
        reason: 'refresh_token_missing',
        secrets: [good],
      },
    )

    expect(JSON.stringify(site.events)).not.toContain(good)
    await expectServing(site)
  })

  const basicOfA = (): string => `Basic ${btoa(`A:${site.clients.A.secret}`)}`
})

describe('the response to a refresh', () => {
  it('a narrower scope applies to one access token; the grant keeps its scope (RFC 6749 §6)', async () => {
    const tokens = await tokensFor(site, 'A')

    const narrow = tokensOf(await refresh(site, tokens.refresh_token, { scope: 'profile' }))
    const complete = tokensOf(await refresh(site, narrow.refresh_token))

    expect([narrow.scope, narrow.id_token]).toEqual(['profile', undefined])
    expect(complete.scope).toBe('openid profile offline_access')
    expect((await userinfo(site, narrow.access_token)).status).toBe(403)
  })

  it('a refreshed ID token keeps iss, sub, aud and auth_time and has no nonce (OIDC Core §12.2)', async () => {
    const tokens = await tokensFor(site, 'A')
    site.clock.advance(7)

    const refreshed = tokensOf(await refresh(site, tokens.refresh_token))

    const before = readJws(tokens.id_token).payload
    const after = readJws(refreshed.id_token).payload
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid']) expect(after[name]).toEqual(before[name])
    expect(before).toHaveProperty('nonce', 'n1')
    expect(after).not.toHaveProperty('nonce')
    expect(after['iat']).toBe(Number(before['iat']) + 7)
  })

  it.each<{ client: 'A' | 'B' | 'N' | 'P' | 'X' }>([
    { client: 'A' },
    { client: 'B' },
    { client: 'N' },
    { client: 'P' },
    { client: 'X' },
  ])(
    'the refresh token of client $client is rotated, and only the newest is accepted (RFC 9700 §4.14.2)',
    async ({ client }) => {
      const tokens = await tokensFor(site, client)

      const first = tokensOf(await refresh(site, tokens.refresh_token, {}, client))
      const second = tokensOf(await refresh(site, first.refresh_token, {}, client))

      expect(new Set([tokens, first, second].map(({ refresh_token }) => refresh_token)).size).toBe(3)
      expect(second.refresh_token).toMatch(/^[\w-]{107}$/)
    },
  )

  it('returns no refresh token without offline_access (OIDC Core §11)', async () => {
    const tokens = await tokensFor(site, 'A', { scope: 'openid profile' })

    expect(tokens).not.toHaveProperty('refresh_token')
  })

  it('returns no refresh token for client credentials (RFC 6749 §4.4.3)', async () => {
    expect((await serviceToken(site)).json).not.toHaveProperty('refresh_token')
  })

  it('redeeming a code twice revokes its refresh token (RFC 6749 §6)', async () => {
    const code = await obtainCode(site, { scope: 'openid profile offline_access' })
    const tokens = tokensOf(await redeem(site, code))
    await redeem(site, code)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      {
        send: () => refresh(site, tokens.refresh_token),
        reason: 'refresh_token_unknown',
      },
    )

    expect((await introspect(site, tokens.access_token)).json).toEqual({ active: false })
  })
})
