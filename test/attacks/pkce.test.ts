import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  authorize,
  challenge,
  obtainCode,
  postForm,
  redeem,
  token,
  verifier,
  encode,
  type Change,
} from '../support/flow.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { expectServing, expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file for both halves of PKCE: the challenge of the authorization request and the verifier of the token request.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const forX = { client_id: 'X', redirect_uri: 'https://x.test/cb' }
const asP = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }

describe('the code challenge (RFC 7636 §4.3, §4.4.1)', () => {
  it.each([
    ['plain', { code_challenge: verifier, code_challenge_method: 'plain' }, 'code_challenge_method'],
    ['plain with the challenge of S256', { code_challenge_method: 'plain' }, 'code_challenge_method'],
    ['a missing method', { code_challenge_method: undefined }, 'code_challenge_method'],
    ['an empty method', { code_challenge_method: '' }, 'code_challenge_method'],
    ...['s256', 'S256 ', 'S 256', 'S256\0', 'S512', 'S384', 'none', 'exempt', 'PLAIN', 'S256 plain'].map(
      (method) =>
        [
          `the method ${encode({ '': method }).slice(1)}`,
          { code_challenge_method: method },
          'code_challenge_method',
        ] as const,
    ),
    ['a method without challenge', { code_challenge: undefined }, 'code_challenge_missing'],
    ['a method with an empty challenge', { code_challenge: '' }, 'code_challenge_missing'],
    [
      'a request without a challenge and a method',
      { code_challenge: undefined, code_challenge_method: undefined },
      'code_challenge_missing',
    ],
    ['42 characters', { code_challenge: challenge.slice(1) }, 'code_challenge_malformed'],
    ['44 characters', { code_challenge: `${challenge}A` }, 'code_challenge_malformed'],
    ['129 characters', { code_challenge: 'a'.repeat(129) }, 'code_challenge_malformed'],
    ['padding', { code_challenge: `${challenge}=` }, 'code_challenge_malformed'],
    ['padding instead of a character', { code_challenge: `${challenge.slice(1)}=` }, 'code_challenge_malformed'],
    ...['+', '/', '%', '~', '.', ' ', '\0', '\n', 'é'].map(
      (char) =>
        [
          `the character ${encodeURIComponent(char)}`,
          { code_challenge: challenge.slice(0, 42) + char },
          'code_challenge_malformed',
        ] as const,
    ),
    ['a trailing line break', { code_challenge: `${challenge}\n` }, 'code_challenge_malformed'],
    [
      'a verifier of 43 characters and no method',
      { code_challenge: verifier, code_challenge_method: undefined },
      'code_challenge_method',
    ],
    ['a challenge of 257 characters', { code_challenge: 'a'.repeat(257) }, 'parameter_too_long'],
  ] as const satisfies readonly (readonly [string, Change, string])[])('rejects %s', async (_, change, reason) => {
    await expectErrorRedirect(site, { error: 'invalid_request' }, { send: () => authorize(site, change), reason })
  })

  it.each([
    ['public', asP],
    ['confidential', {}],
  ])('requires PKCE from a %s client, including by POST (RFC 9700 §2.1.1)', async (_, client: Change) => {
    const change = {
      response_type: 'code',
      client_id: 'A',
      redirect_uri: 'https://app.test/cb',
      scope: 'openid',
      state: 's1',
      ...client,
    }

    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: change.redirect_uri },
      { send: () => postForm(site, '/auth', encode(change), {}), reason: 'code_challenge_missing' },
    )
  })

  it.each([
    ['a method alone', { code_challenge: undefined }, 'code_challenge_missing'],
    ['a challenge alone', { code_challenge_method: undefined }, 'code_challenge_method'],
    ['plain', { code_challenge_method: 'plain' }, 'code_challenge_method'],
    ['a malformed challenge', { code_challenge: 'x' }, 'code_challenge_malformed'],
  ] as const)(
    'applies the rules of PKCE to a client that may omit it but uses it: %s (RFC 9700 §4.8.2)',
    async (_, change, reason) => {
      await expectErrorRedirect(
        site,
        { error: 'invalid_request', at: 'https://x.test/cb' },
        { send: () => authorize(site, { ...forX, ...change }), reason },
      )
    },
  )
})

describe('the code verifier (RFC 7636 §4.6)', () => {
  it.each([
    ['another verifier', verifier.replace('d', 'e'), 'code_verifier_mismatch'],
    ['no verifier', undefined, 'code_verifier_missing'],
    ['an empty verifier', '', 'code_verifier_missing'],
    ['the challenge', challenge, 'code_verifier_mismatch'],
    ['a verifier in upper case', verifier.toUpperCase(), 'code_verifier_mismatch'],
    ['a verifier with an additional character', `${verifier}A`, 'code_verifier_mismatch'],
    ['a verifier with a character missing', verifier.slice(0, 42), 'code_verifier_mismatch'],
    ['a verifier with padding', `${verifier}=`, 'code_verifier_mismatch'],
    ['a verifier with a space', `${verifier} `, 'code_verifier_mismatch'],
    ['a verifier with a line break', `${verifier}\n`, 'code_verifier_mismatch'],
    ['a verifier with a NUL', `${verifier}\0`, 'code_verifier_mismatch'],
    ['a verifier of 129 characters', 'a'.repeat(129), 'code_verifier_mismatch'],
    ['a verifier of 10,000 characters', 'a'.repeat(10_000), 'code_verifier_mismatch'],
  ] as const)('%s uses up the code, so that the right verifier fails afterwards', async (_, wrong, reason) => {
    const code = await obtainCode(site)
    const families = familiesOf(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      {
        send: () => redeem(site, code, { code_verifier: wrong }),
        reason,
        storage: 'codes may change',
        secrets: [code, verifier],
      },
    )
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason: 'code_replayed', storage: 'may change', secrets: [code, verifier] },
    )

    expect(familiesOf(site) - families).toBe(0)
  })

  it.each(['code_verifier[]', 'code_verifier[0]', 'CODE_VERIFIER', 'code_verifier.x'])(
    'rejects %s as a verifier',
    async (name) => {
      const code = await obtainCode(site)

      await expectJsonRefusal(
        site,
        { status: 400, error: 'invalid_grant' },
        {
          send: () => redeem(site, code, { code_verifier: undefined, [name]: verifier }),
          reason: 'code_verifier_missing',
          storage: 'codes may change',
        },
      )
    },
  )

  it('rejects the verifier of another code of the same client (RFC 7636 §4.6)', async () => {
    const code = await obtainCode(site)
    const other = await obtainCode(site, { code_challenge: challenge.toUpperCase() })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, other), reason: 'code_verifier_mismatch', storage: 'codes may change' },
    )
    expect((await redeem(site, code)).status).toBe(200)
  })

  it('accepts the published example (RFC 7636 App. B)', async () => {
    const code = await obtainCode(site, { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })

    expect((await redeem(site, code, { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })).status).toBe(
      200,
    )
  })
})

describe('a client that is not registered for PKCE (RFC 9700 §4.8.2)', () => {
  const withoutPkce = { ...forX, code_challenge: undefined, code_challenge_method: undefined }
  const redeemAsX = (code: string, change: Change = {}) =>
    token(
      site,
      { grant_type: 'authorization_code', code, ...forX, client_secret: site.clients.X.secret, ...change },
      { authorization: '' },
    )

  it('rejects a verifier without a challenge: the challenge may have been removed', async () => {
    await redeemAsX(await obtainCode(site, withoutPkce))
    const code = await obtainCode(site, withoutPkce)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      {
        send: () => redeemAsX(code, { code_verifier: verifier }),
        reason: 'code_verifier_unexpected',
        storage: 'codes may change',
      },
    )
    expect((await redeemAsX(code)).json['error']).toBe('invalid_grant')
  })

  it('redeems a code without PKCE', async () => {
    expect((await redeemAsX(await obtainCode(site, withoutPkce))).status).toBe(200)
  })

  it('must send the verifier for a challenge that it has sent', async () => {
    const code = await obtainCode(site, forX)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeemAsX(code), reason: 'code_verifier_missing', storage: 'codes may change' },
    )
  })

  it('needs PKCE nevertheless if it is public (RFC 9700 §2.1.1)', async () => {
    expect((await site.storage.clients.find(clientId('P')))?.requirePkce).toBe(false)

    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: 'https://spa.test/cb' },
      {
        send: () => authorize(site, { ...asP, code_challenge: undefined, code_challenge_method: undefined }),
        reason: 'code_challenge_missing',
      },
    )
  })

  it('cannot redeem a code without a challenge once it is registered for PKCE (RFC 9700 §2.1.1)', async () => {
    const code = await obtainCode(site, withoutPkce)
    await changeClient(site.storage, clientId('X'), { requirePkce: true })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeemAsX(code), reason: 'code_challenge_required', storage: 'codes may change' },
    )
    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: 'https://x.test/cb' },
      { send: () => authorize(site, withoutPkce), reason: 'code_challenge_missing' },
    )
    await changeClient(site.storage, clientId('X'), { requirePkce: false })
  })

  it.each([
    ['without a challenge recommends PKCE', withoutPkce, /requirePkce/],
    ['with a challenge recommends nothing', forX, undefined],
  ])('the event of a code %s (RFC 9700 §2.1.1)', async (_, change, advice) => {
    const before = site.events.length

    await obtainCode(site, change)

    const issued = site.events.slice(before).filter(({ type }) => type === 'code.issued')
    expect(issued).toHaveLength(1)
    if (advice === undefined) expect(issued[0]).toMatchObject({ advice: undefined })
    else expect(issued[0]).toMatchObject({ advice: expect.stringMatching(advice) as unknown })
  })
})

it('discovery lists only S256', async () => {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    expect((await site.send({ path })).json['code_challenge_methods_supported']).toEqual(['S256'])
  }
})

it('a normal request still succeeds after all these attacks', () => expectServing(site))

/** Returns the number of token families that are not revoked. */
const familiesOf = (server: ServerUnderTest): number => {
  const { families } = JSON.parse(server.dump()) as { families: { byId: readonly [string, { revokedAt?: number }][] } }
  return families.byId.filter(([, family]) => family.revokedAt === undefined).length
}
