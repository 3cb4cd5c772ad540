import { updateClient } from '@mintmark/core'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { answerInteraction, authorize, browserCookies, redeem } from '../support/flow.ts'
import { aPayment, authorizeDetails, codeFor, startBank } from '../support/payment-details.ts'
import { push, visitPushed } from '../support/pushed-requests.ts'
import type { Reply } from '../support/send.ts'
import { visitObject, writeRequestObject } from '../support/request-object.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, refresh, tokensOf } from '../support/token-calls.ts'

const claimOf = (reply: Reply): unknown => decodeJwt(String(reply.json['access_token']))['authorization_details']

/** Returns the JSON that the consent page receives. */
async function pageOf(site: ServerUnderTest, started: Reply): Promise<Readonly<Record<string, unknown>>> {
  const { pathname, search } = started.location
  const page = await site.send({ path: pathname + search, headers: { cookie: browserCookies(started) } })
  return page.json
}

describe('authorization details', () => {
  it('are in the token response, the access token, introspection and refreshed tokens (RFC 9396 §7, §9.1, §9.2)', async () => {
    const site = await startBank()
    const details = [aPayment()]

    const reply = await redeem(site, await codeFor(site, details))
    const refreshed = await refresh(site, tokensOf(reply).refresh_token)

    for (const each of [reply, refreshed]) {
      expect([each.status, each.json['authorization_details']]).toEqual([200, details])
      expect(claimOf(each)).toEqual(details)
      const described = await introspect(site, tokensOf(each).access_token)
      expect(described.json).toMatchObject({ active: true, authorization_details: details })
    }
    const described = await introspect(site, tokensOf(refreshed).refresh_token)
    expect(described.json['authorization_details']).toEqual(details)
  })

  it('are described to the consent page (RFC 9396 §11.1)', async () => {
    const site = await startBank()

    const page = await pageOf(site, await authorizeDetails(site, [aPayment()]))

    const rows = [{ label: 'To', value: 'Example Ltd.' }]
    expect(page['details']).toEqual([{ id: '0', type: 'payment', title: 'Pay 12.00 EUR', rows, detail: aPayment() }])
  })

  it('contain what the user chose, and only the entries that the user granted (RFC 9396 §7.1)', async () => {
    const site = await startBank()
    const asked = [aPayment(), aPayment({ creditor: 'Other Ltd.' })]

    const reply = await redeem(site, await codeFor(site, asked, { form: 'scope=openid&detail=1+savings&detail=7' }))

    expect(reply.json['authorization_details']).toEqual([aPayment({ creditor: 'Other Ltd.', account: 'savings' })])
    expect(reply.json['scope']).toBe('openid')
  })

  it('may be requested without a scope (RFC 9396 §3)', async () => {
    const site = await startBank()

    const reply = await redeem(site, await codeFor(site, [aPayment()], { scope: undefined, form: 'detail=0' }))

    expect([reply.status, reply.json['scope'], claimOf(reply)]).toEqual([200, undefined, [aPayment()]])
  })

  it('may be pushed, and may be in a request object (RFC 9396 §3, RFC 9126 §2.1, RFC 9101 §4)', async () => {
    const site = await startBank()
    const parameter = JSON.stringify([aPayment()])
    const pushed = await push(site, { authorization_details: parameter })
    const object = writeRequestObject(site, { claims: { authorization_details: [aPayment()] } })
    const form = `subject=U1&auth_time=${site.clock.now()}&scope=openid&detail=0`

    const visits = [await visitPushed(site, String(pushed.json['request_uri'])), await visitObject(site, object)]

    for (const visit of visits) {
      expect((await pageOf(site, visit))['details']).toMatchObject([{ detail: aPayment() }])
      const done = await answerInteraction(site, visit, form)
      expect(done.location.searchParams.has('code'), done.header('location')).toBe(true)
    }
  })

  it('can be narrowed by a token request, including to an entry with the values that the user chose (RFC 9396 §6)', async () => {
    const site = await startBank()
    const code = await codeFor(site, [aPayment(), aPayment({ creditor: 'Other Ltd.' })], {
      form: 'scope=openid&scope=offline_access&detail=0+savings&detail=1',
    })
    const part = [aPayment({ amount: '5.00', account: 'savings' })]
    const other = [aPayment({ creditor: 'Other Ltd.' })]

    const reply = await redeem(site, code, { authorization_details: JSON.stringify(part) })
    const token = tokensOf(reply).refresh_token
    const second = await refresh(site, token, { authorization_details: JSON.stringify(other) })
    const third = await refresh(site, tokensOf(second).refresh_token)

    expect([claimOf(reply), claimOf(second)]).toEqual([part, other])
    expect(claimOf(third)).toEqual([aPayment({ account: 'savings' }), ...other])
  })

  it('are only in tokens for their locations (RFC 9396 §2.2, §9)', async () => {
    const site = await startBank()
    const there = aPayment({ locations: ['https://api.test'] })
    const details = [there, aPayment()]
    const form = 'scope=openid&scope=api.read&scope=offline_access&detail=0&detail=1'
    const scope = 'openid api.read offline_access'
    const code = await codeFor(site, details, { form, scope })

    const both = await redeem(site, code, { resource: 'https://api.test' })
    const userinfo = await refresh(site, tokensOf(both).refresh_token, { resource: site.issuer })

    expect([claimOf(both), claimOf(userinfo)]).toEqual([details, [aPayment()]])
    expect(userinfo.json['authorization_details']).toEqual([aPayment()])
  })

  it('of a type that the client may no longer request are in no token (RFC 9396 §10)', async () => {
    const site = await startBank()
    const reply = await redeem(site, await codeFor(site, [aPayment()]))
    await updateClient({ clientId: 'A' }, { authorizationDetailsTypes: ['reading'] }, { storage: site.storage })

    const refreshed = await refresh(site, tokensOf(reply).refresh_token)

    expect([refreshed.status, claimOf(refreshed)]).toEqual([200, undefined])
    const described = await introspect(site, tokensOf(reply).access_token)
    expect(described.json).toMatchObject({ active: true, authorization_details: [] })
  })

  it('are granted again without a consent page if the consent to their type is remembered (OIDC Core §3.1.2.4)', async () => {
    const site = await startBank()
    const details = [{ type: 'reading', account: 'DE1' }]
    await codeFor(site, details)

    const again = await redeem(site, await codeFor(site, details, { prompt: 'none' }))
    const other = await authorizeDetails(site, [{ type: 'reading', account: 'DE2' }], { prompt: 'none' })

    expect(again.json['authorization_details']).toEqual(details)
    expect(other.location.searchParams.get('error')).toBe('consent_required')
  })

  it('that are remembered are granted after a sign-in as well: all of them, or only those that the page names (OIDC Core §3.1.2.4)', async () => {
    const site = await startBank()
    const details = ['DE1', 'DE2'].map((account) => ({ type: 'reading', account }))
    await codeFor(site, details, { form: 'scope=openid&scope=offline_access&detail=0&detail=1' })
    const signIn = async (more: string): Promise<unknown> => {
      site.clock.advance(60)
      const form = `subject=U1&auth_time=${site.clock.now()}${more}`
      const reply = await redeem(site, await codeFor(site, details, { prompt: 'login', form }))
      return reply.json['authorization_details']
    }

    expect([await signIn(''), await signIn('&detail=1')]).toEqual([details, [details[1]]])
  })

  it('that the user denies are no longer remembered (OIDC Core §3.1.2.4)', async () => {
    const site = await startBank()
    const details = [{ type: 'reading', account: 'DE1' }]
    await codeFor(site, details)

    const started = await authorizeDetails(site, details, { prompt: 'consent' })
    const denied = await answerInteraction(site, started, 'scope=openid&scope=offline_access&detail=')
    const again = await authorizeDetails(site, details, { prompt: 'none' })

    expect(denied.location.searchParams.get('error')).toBe('access_denied')
    expect(again.location.searchParams.get('error')).toBe('consent_required')
  })

  it('are listed by type in the metadata of a server that has such types, and only there (RFC 9396 §10)', async () => {
    const site = await startBank()
    const plain = await startServer()
    onTestFinished(() => plain.close())

    const path = '/.well-known/openid-configuration'
    const listed = await site.send({ path })
    const unlisted = await plain.send({ path })

    expect(listed.json['authorization_details_types_supported']).toEqual(['payment', 'reading'])
    expect(unlisted.json).not.toHaveProperty('authorization_details_types_supported')
  })

  it('change nothing for a request without them', async () => {
    const site = await startBank()

    const started = await authorize(site)
    const page = await pageOf(site, started)
    const done = await answerInteraction(site, started, 'scope=openid&detail=')
    const reply = await redeem(site, done.location.searchParams.get('code') ?? '')

    expect([page['details'], reply.status]).toEqual([[], 200])
    expect(reply.json).not.toHaveProperty('authorization_details')
    expect(decodeJwt(tokensOf(reply).access_token)).not.toHaveProperty('authorization_details')
  })
})
