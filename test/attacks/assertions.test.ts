import { clientId } from '@mintmark/storage-interface'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  jwtBearerGrant,
  okta,
  partner,
  startAssertionSite,
  type AssertionSite,
  type AssertionSiteOptions,
} from '../support/assertion-site.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, postForm } from '../support/flow.ts'
import type { RefusalReason } from '@mintmark/core'

async function start(options: AssertionSiteOptions = {}): Promise<AssertionSite> {
  const site = await startAssertionSite(options)
  onTestFinished(() => site.close())
  return site
}

const invalidGrant = { status: 400, error: 'invalid_grant' }

describe('an assertion is refused, and changes nothing', () => {
  const now = 1_790_000_000
  const claims: readonly (readonly [what: string, change: Readonly<Record<string, unknown>>, reason: RefusalReason])[] =
    [
      ['another audience', { aud: 'https://other.test' }, 'assertion_audience'],
      ['two audiences', { aud: ['https://as.test', 'https://other.test'] }, 'assertion_audience'],
      ['no audience', { aud: [] }, 'assertion_audience'],
      ['its audience twice', { aud: ['https://as.test', 'https://as.test'] }, 'assertion_audience'],
      ['the token endpoint as audience', { aud: 'https://as.test/token' }, 'assertion_audience'],
      ['a slash after the audience', { aud: 'https://as.test/' }, 'assertion_audience'],
      ['another client', { client_id: 'stranger' }, 'assertion_client'],
      ['a list of clients', { client_id: ['agent'] }, 'assertion_client'],
      ['no expiry', { exp: null }, 'assertion_expired'],
      ['an expiry in the past', { exp: now }, 'assertion_expired'],
      ['an expiry in a day', { exp: now + 86_400 }, 'assertion_expired'],
      ['a time of issue in the future', { iat: now + 61 }, 'assertion_expired'],
      ['a start in the future', { nbf: now + 61 }, 'assertion_expired'],
      ['no time of issue', { iat: null }, 'assertion_expired'],
      ['no identifier', { jti: '' }, 'assertion_malformed'],
      ['a number as identifier', { jti: 7 }, 'assertion_malformed'],
      ['no subject', { sub: null }, 'assertion_malformed'],
      ['a list as scope', { scope: ['api.read'] }, 'assertion_malformed'],
      ['an object as resource', { resource: {} }, 'assertion_malformed'],
      ['a sign-in in the future', { auth_time: now + 61 }, 'assertion_malformed'],
      ['authorization details', { authorization_details: [{ type: 'payment' }] }, 'assertion_details'],
      ['a key without a proof', { cnf: { jkt: 'A'.repeat(43) } }, 'assertion_key'],
      ['a certificate without TLS', { cnf: { 'x5t#S256': 'A'.repeat(43) } }, 'assertion_key'],
      ['an unknown kind of key', { cnf: { kid: 'k1' } }, 'assertion_key'],
      ['a subject that nobody has', { sub: 'okta-nobody' }, 'assertion_subject_unknown'],
      ['the subject of another directory', { sub: 'okta-lee' }, 'assertion_subject_unknown'],
      ['the identifier of a user', { sub: 'kim' }, 'assertion_subject_unknown'],
      ['the address of a local user', { sub: 'nobody', email: 'u1@example.com' }, 'assertion_subject_unknown'],
      ['an issuer that nobody knows', { iss: 'https://evil.example' }, 'assertion_issuer_unknown'],
      ['this server as issuer', { iss: 'https://as.test' }, 'assertion_issuer_unknown'],
      ['a number as issuer', { iss: 7 }, 'assertion_issuer_unknown'],
      ['a tenant that the connection does not have', { tenant: 'acme' }, 'assertion_issuer_unknown'],
    ]
  it.each(claims)('with %s (RFC 7523 §3, ID-JAG §4.4.1)', async (_what, change, reason) => {
    const site = await start()
    const assertion = await site.idJag(change)

    await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason, secrets: [assertion] })
  })

  it.each([
    ['the typ of a JWT', { typ: 'JWT' }],
    ['the typ of an access token', { typ: 'at+jwt' }],
    ['no typ', { typ: undefined }],
  ])('with %s, for an ID-JAG (RFC 8725 §3.11)', async (_what, header) => {
    const site = await start()
    const assertion = await site.idJag({}, header)

    await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason: 'assertion_type' })
  })

  it.each(['oauth-id-jag+jwt', 'at+jwt', 'logout+jwt', 'secevent+jwt', 'dpop+jwt'])(
    'with the typ %s, for a JWT of an issuer of the host (RFC 8725 §3.11)',
    async (typ) => {
      const site = await start()
      const assertion = await site.partnerJwt({}, { typ })

      await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason: 'assertion_type' })
    },
  )

  it('with a signature of another key, of none, or with the public key as a secret (RFC 8725 §3.1)', async () => {
    const [site, other] = [await start(), await start()]
    const [header = '', payload = ''] = (await site.idJag()).split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'oauth-id-jag+jwt' })).toString('base64url')
    const forged = [
      await other.idJag(),
      `${none}.${payload}.`,
      `${header}.${payload}.${'A'.repeat(86)}`,
      await site.idJag({}, { kid: 'k2' }),
    ]
    for (const assertion of forged)
      await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason: 'assertion_invalid' })
  })

  it.each(['', 'a.b', 'a.b.c', 'a.b.c.d', 'ey.ey.ey', `${'a'.repeat(9000)}.b.c`])(
    'if it is %s (RFC 7523 §3)',
    async (assertion) => {
      const site = await start()
      const [answer, reason]: readonly [typeof invalidGrant, RefusalReason] =
        assertion === ''
          ? [{ status: 400, error: 'invalid_request' }, 'assertion_missing']
          : [invalidGrant, 'assertion_invalid']

      await expectJsonRefusal(site, answer, { send: () => site.present(assertion), reason })
    },
  )

  it('if the host finds no user, or one who does not exist (RFC 7523 §3)', async () => {
    const site = await start()
    for (const [sub, reason] of [
      ['partner-9', 'assertion_subject_unknown'],
      ['partner-8', 'assertion_subject_inactive'],
    ] as const) {
      const assertion = await site.partnerJwt({ sub })
      await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason })
    }
  })

  it('if it is valid for longer than the host allows (RFC 7523 §3)', async () => {
    const site = await start({ maxLifetime: 60 })
    const assertion = await site.partnerJwt({ exp: site.clock.now() + 61 })

    await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason: 'assertion_expired' })
  })

  it('if another client presents it, or a client that its issuer may not use (ID-JAG §4.4.1)', async () => {
    const site = await start()
    const asStranger = (assertion: string) =>
      postForm(site, '/token', encode({ grant_type: jwtBearerGrant, assertion }), {
        authorization: basic('stranger', site.secrets['stranger'] ?? ''),
      })
    for (const assertion of [await site.idJag(), await site.idJag({ client_id: 'stranger' }), await site.partnerJwt()])
      await expectJsonRefusal(site, invalidGrant, { send: () => asStranger(assertion), reason: 'assertion_client' })
  })

  it('if the client is public (ID-JAG §9.1)', async () => {
    const site = await start()
    await changeClient(site.storage, clientId('P'), { grantTypes: [jwtBearerGrant] })
    const assertion = await site.idJag({ client_id: 'P' })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      {
        send: () => postForm(site, '/token', encode({ grant_type: jwtBearerGrant, assertion, client_id: 'P' }), {}),
        reason: 'client_public',
      },
    )
  })

  it.each([
    ['scope values that the connection does not have', { scope: 'api.write' }, 'invalid_scope', 'scope_not_allowed'],
    ['scope values about the identity', { scope: 'openid offline_access' }, 'invalid_scope', 'scope_not_allowed'],
    ['an API that it does not name', { resource: 'https://other.test' }, 'invalid_target', 'assertion_target'],
    ['authorization details', { authorization_details: '[]' }, 'invalid_request', 'assertion_unsupported'],
  ] as const)('if the request asks for %s (RFC 6749 §5.2)', async (_what, change, error, reason) => {
    const site = await start()
    const assertion = await site.idJag()

    await expectJsonRefusal(site, { status: 400, error }, { send: () => site.present(assertion, change), reason })
  })

  it('if it names an API that the connection does not have (RFC 8707 §2)', async () => {
    const site = await start({ access: { resources: ['https://other.test'] } })
    const assertion = await site.idJag()

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_target' },
      { send: () => site.present(assertion), reason: 'assertion_target' },
    )
  })

  it('without a request to any address that a stranger names, in header or claims (RFC 8725 §3.10)', async () => {
    const site = await start()
    const header = { jku: 'https://evil.example/keys', x5u: 'https://evil.example/cert', kid: 'k9' }
    const assertion = await site.idJag({ iss: okta, jwks_uri: 'https://evil.example/keys' }, header)

    await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason: 'assertion_invalid' })
  })
})

describe('an assertion of an issuer of the host', () => {
  it('is accepted once (RFC 7523 §3)', async () => {
    const site = await start()
    const assertion = await site.partnerJwt({ jti: 'once' })

    const first = await site.present(assertion)
    await expectJsonRefusal(site, invalidGrant, { send: () => site.present(assertion), reason: 'assertion_replayed' })

    expect(first.status).toBe(200)
    expect(site.events.at(-1)).toMatchObject({
      type: 'request.refused',
      context: { clientId: 'agent', assertion: { issuer: partner, tokenId: 'once', subject: 'partner-7' } },
    })
  })
})
