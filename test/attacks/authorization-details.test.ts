import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { answerInteraction, baseRequest, encode, redeem, signedInAs } from '../support/flow.ts'
import { aPayment, authorizeDetails, codeFor, startBank } from '../support/payment-details.ts'
import { push } from '../support/pushed-requests.ts'
import { expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect, authenticateEveryClient, refresh, serviceToken, tokensOf } from '../support/token-calls.ts'

const error = 'invalid_authorization_details'

/** Returns an array of one payment that is this many bytes long. */
const detailsOfLength = (bytes: number): string => {
  const shortest = JSON.stringify([aPayment({ creditor: '' })])
  return JSON.stringify([aPayment({ creditor: 'x'.repeat(bytes - shortest.length) })])
}

/** Returns an array of one entry that has this many levels, because it contains arrays in arrays. */
const detailsOfDepth = (levels: number): string =>
  `[{"type":"reading","account":"DE1","locations":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}]`

describe('an authorization request with authorization_details', () => {
  it.each([
    ['a string that is not JSON', 'payment'],
    ['an object instead of an array', JSON.stringify(aPayment())],
    ['no entries', '[]'],
    ['an entry that is not an object', '["payment"]'],
    ['17 entries', JSON.stringify(Array.from({ length: 17 }, () => aPayment()))],
    ['8,193 bytes', detailsOfLength(8193)],
    ['nine levels', detailsOfDepth(9)],
    ['a thousand levels', detailsOfDepth(1000)],
    ['a repeated member', '[{"type":"payment","amount":"1.00","amount":"9.00"}]'],
    ['a repeated member, once with an escape', '[{"type":"payment","amount":"1.00","\\u0061mount":"9.00"}]'],
    ['the member __proto__', '[{"type":"payment","__proto__":{"amount":"1.00"}}]'],
    ['a nested member __proto__', '[{"type":"payment","creditor":{"__proto__":{"polluted":true}}}]'],
    ['an infinite number', '[{"type":"payment","amount":1e999}]'],
    ['the number -0', '[{"type":"payment","amount":-0}]'],
    ['NaN', '[{"type":"payment","amount":NaN}]'],
    ['the character U+0000', '[{"type":"payment","creditor":"\\u0000"}]'],
    ['half of a surrogate pair', '[{"type":"payment","creditor":"\\ud800"}]'],
  ])('is refused for %s (RFC 9396 §5)', async (_case, details) => {
    const site = await startBank()

    await expectErrorRedirect(
      site,
      { error },
      { send: () => authorizeDetails(site, details), reason: 'details_malformed' },
    )
  })

  it.each([
    ['an unknown type', [{ type: 'transfer' }], 'detail_type_unknown'],
    ['no type', [{ amount: '1.00' }], 'detail_type_unknown'],
    ['a type that is a number', [{ type: 5 }], 'detail_type_unknown'],
    ['a type named like an Object.prototype member', [{ type: 'toString' }], 'detail_type_unknown'],
    ['an unknown type next to a known one', [aPayment(), { type: 'transfer' }], 'detail_type_unknown'],
    ['an unknown member', [aPayment({ recurring: true })], 'detail_invalid'],
    ['a member that only the user may choose', [aPayment({ account: 'savings' })], 'detail_invalid'],
    ['the amount "1e999"', [aPayment({ amount: '1e999' })], 'detail_invalid'],
    ['the amount "NaN"', [aPayment({ amount: 'NaN' })], 'detail_invalid'],
    ['the amount "-0"', [aPayment({ amount: '-0' })], 'detail_invalid'],
    [
      'a location that is not a requested resource',
      [aPayment({ locations: ['https://api.test'] })],
      'detail_location_not_requested',
    ],
  ] as const)('is refused for %s (RFC 9396 §2, §5)', async (_case, details, reason) => {
    const site = await startBank()

    await expectErrorRedirect(site, { error }, { send: () => authorizeDetails(site, details), reason })
  })

  it('is refused for a type that the client is not registered for (RFC 9396 §10)', async () => {
    const site = await startBank()
    await authenticateEveryClient(site)
    const authorization_details = JSON.stringify([{ type: 'reading' }])
    const redirect_uri = 'https://spa.test/cb'

    await expectJsonRefusal(
      site,
      { status: 400, error },
      {
        send: () => push(site, { client_id: 'P', redirect_uri, authorization_details }, { authorization: '' }),
        reason: 'detail_type_not_registered',
      },
    )
  })

  it('is refused by a server that defines no types, instead of granting something else (RFC 9396 §5)', async () => {
    const site = await startServer()
    onTestFinished(() => site.close())

    await expectErrorRedirect(
      site,
      { error },
      { send: () => authorizeDetails(site, [aPayment()]), reason: 'detail_type_unknown' },
    )
  })

  it('is accepted up to the limits of entries, bytes and levels (RFC 9396 §2)', async () => {
    const site = await startBank()
    const entries = JSON.stringify(Array.from({ length: 16 }, () => aPayment()))

    for (const details of [entries, detailsOfLength(8192), detailsOfDepth(8)]) {
      const authorization_details = details
      expect((await push(site, { authorization_details })).status).toBe(201)
    }
  })

  it('is refused with prompt=none for a type whose consent is never remembered (RFC 9396 §4, OIDC Core §3.1.2.6)', async () => {
    const site = await startBank()
    await codeFor(site, [aPayment()])

    await expectErrorRedirect(
      site,
      { error: 'consent_required' },
      { send: () => authorizeDetails(site, [aPayment()], { prompt: 'none' }), reason: 'consent_required' },
    )
  })
})

describe('a consent page', () => {
  it.each(['scope=openid', 'subject=U1&auth_time=1790000000&scope=openid'])(
    'gets no code when its form has no decision about the details: %s (RFC 9396 §11.1)',
    async (form) => {
      const site = await startBank()
      const started = await authorizeDetails(site, [aPayment()])
      const before = site.dump()

      const reply = await answerInteraction(site, started, form)

      expect([reply.status, site.lastReason(), reply.header('location')]).toEqual([400, 'details_undecided', undefined])
      expect(site.dump()).toBe(before)
    },
  )

  it.each(['scope=openid&detail=', 'scope=openid&detail=7', 'scope=openid&detail=00', 'detail=0&scope=nothing'])(
    'denies the request when its form grants nothing that was requested: %s (RFC 6749 §4.1.2.1)',
    async (form) => {
      const site = await startBank()
      const started = await authorizeDetails(site, [aPayment()])

      const reply = await answerInteraction(site, started, form)

      expect([reply.location.searchParams.get('error'), site.lastReason()]).toEqual(['access_denied', undefined])
    },
  )

  it('is shown after a sign-in that decides nothing about consent (RFC 9396 §11.1)', async () => {
    const site = await startBank()
    const started = await authorizeDetails(site, [aPayment()])

    const reply = await answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now()}`)

    expect(reply.location.pathname).toBe('/consent')
  })
})

describe('a token request', () => {
  const denied = [
    ['a larger amount', [aPayment({ amount: '13.00' })], 'detail_not_granted'],
    ['another creditor', [aPayment({ creditor: 'Mallory' })], 'detail_not_granted'],
    ['another account', [aPayment({ account: 'other' })], 'detail_not_granted'],
    ['the same payment twice', [aPayment(), aPayment({ amount: '5.00' })], 'detail_not_granted'],
    ['another type', [{ type: 'reading', account: 'DE1' }], 'detail_not_granted'],
    ['an unknown type', [{ type: 'transfer' }], 'detail_type_unknown'],
    ['an unknown member', [aPayment({ recurring: true })], 'detail_invalid'],
    ['no entries', [], 'details_malformed'],
  ] as const

  it.each(denied)(
    'with a code is refused for authorization_details with %s, and the code stays usable (RFC 9396 §6)',
    async (_case, details, reason) => {
      const site = await startBank()
      await authenticateEveryClient(site)
      const code = await codeFor(site, [aPayment()])

      await expectJsonRefusal(
        site,
        { status: 400, error },
        { send: () => redeem(site, code, { authorization_details: JSON.stringify(details) }), reason },
      )

      expect((await redeem(site, code)).json['authorization_details']).toEqual([aPayment()])
    },
  )

  it.each(denied)(
    'with a refresh token is refused for authorization_details with %s, and the token is not rotated (RFC 9396 §6)',
    async (_case, details, reason) => {
      const site = await startBank()
      const { refresh_token } = tokensOf(await redeem(site, await codeFor(site, [aPayment()])))

      await expectJsonRefusal(
        site,
        { status: 400, error },
        { send: () => refresh(site, refresh_token, { authorization_details: JSON.stringify(details) }), reason },
      )

      expect((await refresh(site, refresh_token)).json['authorization_details']).toEqual([aPayment()])
    },
  )

  it('for details of one type is refused when only another type was granted (RFC 9396 §6)', async () => {
    const site = await startBank()
    const { refresh_token } = tokensOf(await redeem(site, await codeFor(site, [{ type: 'reading', account: 'DE1' }])))

    await expectJsonRefusal(
      site,
      { status: 400, error },
      {
        send: () => refresh(site, refresh_token, { authorization_details: JSON.stringify([aPayment()]) }),
        reason: 'detail_not_granted',
      },
    )
  })

  it('for details is refused with the grant type client_credentials (RFC 9396 §6)', async () => {
    const site = await startBank()
    await authenticateEveryClient(site)

    await expectJsonRefusal(
      site,
      { status: 400, error },
      {
        send: () => serviceToken(site, { authorization_details: JSON.stringify([aPayment()]) }),
        reason: 'details_without_user',
      },
    )
  })
})

describe('introspection', () => {
  it('shows a resource server only the details that name it as location (RFC 9396 §11.4)', async () => {
    const site = await startBank({
      resources: {
        'https://api.test': { scopes: ['api.read'] },
        'https://other.test': { scopes: ['api.read'] },
      },
    })
    const [here, there] = [
      aPayment({ locations: ['https://api.test'] }),
      { type: 'reading', account: 'DE1', locations: ['https://other.test'] },
    ]
    const resources = ['https://api.test', 'https://other.test'].map((uri) => `&resource=${encodeURIComponent(uri)}`)
    const request = { ...baseRequest, scope: 'openid api.read', authorization_details: JSON.stringify([here, there]) }
    const started = await site.send({
      path: `/auth?${encode(request)}${resources.join('')}`,
      headers: { cookie: signedInAs(site, 'U1') },
    })
    const done = await answerInteraction(site, started, 'scope=openid&scope=api.read&detail=0&detail=1')
    const code = done.location.searchParams.get('code') ?? ''
    const { access_token: token } = tokensOf(await redeem(site, code))

    const described = await introspect(site, token, 'RS')
    const own = await introspect(site, token, 'A')

    expect(decodeJwt(token)['authorization_details']).toEqual([here, there])
    expect(described.json['authorization_details']).toEqual([here])
    expect(own.json['authorization_details']).toEqual([here, there])
  })
})

describe('details that were lost in storage', () => {
  const withoutDetails = <Of extends object>(record: Of): Of => {
    const { authorizationDetails: _lost, ...rest } = record as Of & { readonly authorizationDetails: unknown }
    return rest as Of
  }

  it('make a code unusable, so that no token is issued without them (RFC 9396 §7)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const { codes } = storage
    const site = await startBank({
      storage: { ...storage, codes: { ...codes, insert: (code) => codes.insert(withoutDetails(code)) } },
    })

    const reply = await redeem(site, await codeFor(site, [aPayment()]))

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'code_incomplete'])
  })

  it('make a refresh token unusable, so that no token is issued without them (RFC 9396 §7)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const { families } = storage
    const site = await startBank({
      storage: { ...storage, families: { ...families, insert: (family) => families.insert(withoutDetails(family)) } },
    })
    const { refresh_token } = tokensOf(await redeem(site, await codeFor(site, [aPayment()])))

    const reply = await refresh(site, refresh_token)

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
      400,
      'invalid_grant',
      'refresh_token_unknown',
    ])
  })
})
