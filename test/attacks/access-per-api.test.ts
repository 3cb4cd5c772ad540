import { defineDetailType, registerClient } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import {
  answerInteraction,
  basic,
  baseRequest,
  type Change,
  encode,
  postForm,
  redeem,
  signedInAs,
} from '../support/flow.ts'
import { expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { authenticateEveryClient } from '../support/token-calls.ts'

const [notes, payments] = ['https://notes.test', 'https://payments.test']
const scopes = { read: 'Read', write: 'Write', 'notes.edit': 'Edit notes', 'payments.send': 'Send payments' }
const resources = {
  [notes]: { scopes: ['read', 'notes.edit'] },
  [payments]: { scopes: ['read', 'write', 'payments.send'] },
  // An API without scope values.
  'https://clock.test': { scopes: [] },
}

/** Permission for one order. */
const order = defineDetailType({ parse: (value) => value, describe: () => ({ title: 'Place one order' }) })

let site: ServerUnderTest
let machine = ''
beforeAll(async () => {
  site = await startServer({
    scopes,
    resources,
    defaultAudience: 'https://default.test',
    authorizationDetails: { order },
  })
  await changeClient(site.storage, clientId('A'), {
    scopes: ['openid', 'profile', 'email', 'offline_access', ...Object.keys(scopes)],
    authorizationDetailsTypes: ['order'],
  })
  const registered = await registerClient(
    {
      clientId: 'machine',
      clientName: 'Machine',
      grantTypes: ['client_credentials'],
      scopes: ['notes.edit', 'payments.send'],
      resources: [notes, payments, 'https://clock.test'],
    },
    { storage: site.storage, clock: site.clock.now },
  )
  machine = basic('machine', registered.clientSecret ?? '')
  await authenticateEveryClient(site)
  await serviceToken({})
})
afterAll(() => site.close())
beforeEach(async () => {
  for (const { grantId } of await site.storage.grants.listByUser(userId('U1')))
    await site.storage.grants.revoke(grantId, site.clock.now())
})

/** The parameter `resource`, once for each API. */
const forApis = (apis: readonly string[]): string => apis.map((api) => `&${encode({ resource: api })}`).join('')

const ask = (scope: string, apis: readonly string[] = [], change: Change = {}): Promise<Reply> =>
  site.send({
    path: `/auth?${encode({ ...baseRequest, scope, ...change })}${forApis(apis)}`,
    headers: { cookie: signedInAs(site, 'U1') },
  })

const allow = async (started: Reply, granted: string, details = ''): Promise<Reply> => {
  const checked = granted.split(' ').map((scope) => `scope=${scope}`)
  return answerInteraction(site, started, checked.join('&') + details)
}

/** The audience and the scope values of the token for a code. */
async function targetOf(reply: Reply, change: Change = {}) {
  const { json } = await redeem(site, reply.location.searchParams.get('code') ?? '', change)
  const { aud, scope } = decodeJwt(String(json['access_token']))
  return { aud, scope, refreshToken: String(json['refresh_token']) }
}

const serviceToken = (form: Change, apis: readonly string[] = []): Promise<Reply> =>
  postForm(site, '/token', encode({ grant_type: 'client_credentials', ...form }) + forApis(apis), {
    authorization: machine,
  })

describe('an API is not in the audience of the token if the user unchecks all scope values of the API (RFC 8707 §3)', () => {
  it.each([
    ['a named API', [payments], ['openid', 'profile', 'payments.send']],
    ['the API that the scope values imply', [], ['openid', 'profile', 'payments.send']],
    ['two named APIs', [notes, payments], ['openid', 'profile', 'notes.edit', 'payments.send']],
    ['an API and this server', [payments, 'https://as.test'], ['openid', 'profile', 'payments.send']],
  ])('%s: the token is for userinfo alone, and the next request asks again', async (_, apis, requested) => {
    const done = await allow(await ask(requested.join(' '), apis), 'openid profile')

    expect(await targetOf(done)).toMatchObject({ aud: 'https://as.test', scope: 'openid profile' })
    await expectErrorRedirect(
      site,
      { error: 'consent_required' },
      { send: () => ask('openid profile', [payments], { prompt: 'none' }), reason: 'consent_required' },
    )
  })

  it('another API stays in the audience, and the client cannot request a token for the unchecked API (RFC 8707 §2.2)', async () => {
    const requested = 'openid offline_access notes.edit payments.send'
    const done = await allow(await ask(requested, [notes, payments]), 'openid offline_access notes.edit')
    const { aud, scope, refreshToken } = await targetOf(done)

    expect([aud, scope]).toEqual([notes, 'openid offline_access notes.edit'])
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_target' },
      {
        send: () =>
          postForm(
            site,
            '/token',
            encode({ grant_type: 'refresh_token', refresh_token: refreshToken, resource: payments }),
            { authorization: basic('A', site.clients.A.secret) },
          ),
        reason: 'resource_not_granted',
      },
    )
  })

  it('this server is not in the audience without openid (OIDC Core §5.3)', async () => {
    const done = await allow(await ask('openid payments.send', [payments, 'https://as.test']), 'payments.send')

    expect(await targetOf(done)).toMatchObject({ aud: payments, scope: 'payments.send' })
  })

  it('earlier consent to the API is removed', async () => {
    await allow(await ask('openid payments.send', [payments]), 'openid payments.send')

    await allow(await ask('openid payments.send', [payments], { prompt: 'consent' }), 'openid')

    const [grant] = await site.storage.grants.listByUser(userId('U1'))
    expect(grant).toMatchObject({ scopes: ['openid'], resources: [] })
  })

  it('a request without openid is denied, because the token would have no audience (RFC 6749 §4.1.2.1)', async () => {
    const denied = await allow(await ask('profile payments.send', [payments]), 'profile')

    expect(denied.location.searchParams.get('error')).toBe('access_denied')
    expect(site.events.at(-1)).toMatchObject({ type: 'interaction.denied', reason: 'user_denied' })
    expect(await site.storage.grants.listByUser(userId('U1'))).toEqual([])
  })

  it.each([
    ['of which the request has no scope value', 'openid profile', [payments]],
    ['that has no scope values', 'openid profile', ['https://clock.test']],
    ['of which one scope value remains', 'openid profile read payments.send', [payments]],
  ])('an API %s keeps its token', async (_, requested, apis) => {
    await changeClient(site.storage, clientId('A'), { resources: [notes, payments, 'https://clock.test'] })

    const done = await allow(await ask(requested, apis), 'openid read')

    expect(await targetOf(done)).toMatchObject({ aud: apis[0] })
    await changeClient(site.storage, clientId('A'), { resources: undefined })
  })
})

describe('consent is to a scope value at an API (RFC 8707 §3)', () => {
  const silently = (scope: string, apis: readonly string[] = []) => ask(scope, apis, { prompt: 'none' })
  const consentTo = async (scope: string, apis: readonly string[] = []) =>
    expect((await allow(await ask(scope, apis), scope)).location.searchParams.get('code')).not.toBeNull()
  const expectAsked = (scope: string, apis: readonly string[] = []) =>
    expectErrorRedirect(
      site,
      { error: 'consent_required' },
      { send: () => silently(scope, apis), reason: 'consent_required' },
    )

  const others = [
    ['at an API that the user has allowed without scope values', ['openid profile', [payments]], [payments]],
    ['at an API whose other scope values the user has allowed', ['openid write', [payments]], [payments]],
    ['at two APIs, at one of which the user has allowed it', ['openid profile', [payments]], [notes, payments]],
    ['for the default audience', ['openid email', []], []],
  ] as const

  it.each(others)('a scope value is asked for again %s', async (_, [scope, other], apis) => {
    await consentTo('openid read', [notes])
    await consentTo(scope, other)

    await expectAsked('openid read', apis)
  })

  it.each(others)(
    'a scope value is asked for again %s, even if the user allowed the scope value last',
    async (_, [scope, other], apis) => {
      await consentTo(scope, other)
      await consentTo('openid read', [notes])

      await expectAsked('openid read', apis)
    },
  )

  it('a scope value of the default audience is asked for again at each API', async () => {
    await consentTo('openid read')
    await consentTo('openid profile', [notes])

    await expectAsked('openid read', [notes])
  })

  it('a scope value that the user has allowed at an API, and then for the default audience, is asked for once', async () => {
    await consentTo('openid read', [notes])
    await consentTo('openid read')

    expect(await targetOf(await silently('openid read'))).toMatchObject({ scope: 'openid read' })
  })

  it('each scope value that the user has allowed at each API is given without a page', async () => {
    for (const apis of [[notes], [payments]]) await consentTo('openid read', apis)
    await consentTo('openid payments.send', [payments])
    await consentTo('openid notes.edit', [notes])

    for (const apis of [[notes], [payments], [notes, payments]])
      expect(await targetOf(await silently('openid read', apis))).toMatchObject({ scope: 'openid read' })
    const both = await silently('openid notes.edit payments.send', [notes, payments])
    expect(await targetOf(both)).toMatchObject({ scope: 'openid notes.edit payments.send' })
  })
})

describe('an API for which the user grants only authorization details (RFC 9396 §9)', () => {
  const at = (locations?: readonly string[]): Change => ({
    authorization_details: JSON.stringify([{ type: 'order', locations }]),
  })

  it.each([
    ['are for that API', [payments]],
    ['are for every API', undefined],
  ])('is in the audience of the token if the details %s', async (_, locations) => {
    const asked = await ask('openid payments.send', [payments], at(locations))

    expect(await targetOf(await allow(asked, 'openid', '&detail=0'))).toMatchObject({ aud: payments, scope: 'openid' })
  })

  it('is not in the audience of the token if the details are for another API', async () => {
    const asked = await ask('openid payments.send', [notes, payments], at([notes]))

    expect(await targetOf(await allow(asked, 'openid', '&detail=0'))).toMatchObject({ aud: notes, scope: 'openid' })
  })

  it('stays in the audience after a refresh, although none of its scope values is granted', async () => {
    const all = 'openid offline_access notes.edit'
    const asked = await ask(all, [notes, payments], at([payments]))
    const { aud, refreshToken } = await targetOf(await allow(asked, all, '&detail=0'))
    expect(aud).toEqual([notes, payments])

    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'openid notes.edit' }
    const refreshed = await postForm(site, '/token', encode(form) + forApis([notes, payments]), {
      authorization: basic('A', site.clients.A.secret),
    })
    expect(decodeJwt(String(refreshed.json['access_token'])).aud).toEqual([notes, payments])
  })
})

describe('a request for scope values of an API that it does not name', () => {
  it.each([
    ['of one API', 'openid notes.edit', [payments]],
    ['of one of two APIs', 'openid notes.edit', [notes, payments]],
    ['and for no user', 'notes.edit', [payments]],
  ])('is refused before the user signs in: scope values %s (RFC 8707 §2)', async (_, scope, apis) => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_target' },
      { send: () => ask(scope, apis), reason: 'resource_without_scope' },
    )
  })

  it.each([
    ['scope values of another API', 'notes.edit', [payments]],
    ['an additional API', 'notes.edit', [notes, payments]],
    ['an API without scope values', 'notes.edit', ['https://clock.test']],
  ])('gives a machine no token: %s (RFC 8707 §2)', async (_, scope, apis) => {
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_target' },
      { send: () => serviceToken({ scope }, apis), reason: 'resource_without_scope' },
    )
  })

  it.each([
    [{ scope: 'notes.edit' }, [], notes, 'notes.edit'],
    [{ scope: 'notes.edit payments.send' }, [payments], payments, 'payments.send'],
    [{ scope: 'notes.edit' }, [notes, 'https://clock.test'], [notes, 'https://clock.test'], 'notes.edit'],
    [{}, [payments], payments, 'payments.send'],
    [{}, ['https://clock.test'], 'https://clock.test', undefined],
  ])('gives a machine the rest: %j at %j', async (form, apis, audience, scope) => {
    const { json } = await serviceToken(form, apis)

    expect(decodeJwt(String(json['access_token'])).aud).toEqual(audience)
    expect(json['scope']).toBe(scope)
  })

  it('does not refresh, and keeps the refresh token (RFC 8707 §2.2)', async () => {
    const all = 'openid offline_access notes.edit payments.send'
    const { refreshToken } = await targetOf(await allow(await ask(all, [notes, payments]), all))
    const refresh = (change: Change) =>
      postForm(site, '/token', encode({ grant_type: 'refresh_token', refresh_token: refreshToken, ...change }), {
        authorization: basic('A', site.clients.A.secret),
      })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_target' },
      { send: () => refresh({ scope: 'notes.edit', resource: payments }), reason: 'resource_without_scope' },
    )

    const { json } = await refresh({ scope: 'payments.send', resource: payments })
    expect(decodeJwt(String(json['access_token']))).toMatchObject({ aud: payments, scope: 'payments.send' })
  })

  it('shows the user no scope value that no named API has', async () => {
    const asked = await ask('openid notes.edit payments.send', [payments])
    const { pathname, search } = asked.location

    const page = await site.send({ path: pathname + search, headers: { cookie: asked.cookies } })

    expect(page.json['scopes']).toMatchObject([{ name: 'openid' }, { name: 'payments.send' }])
  })
})
