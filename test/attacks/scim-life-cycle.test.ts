import { randomUUID } from 'node:crypto'

import { userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { authorize, redeem, signedInAs } from '../support/flow.ts'
import {
  allAccepted,
  codeOf,
  allRefused,
  useEveryToken,
  provisionTestUser,
  setActive,
  signIn,
} from '../support/scim-user.ts'
import { expectScimRefusal } from '../support/expect-scim-refusal.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { sortedStatuses } from '../support/sorted-statuses.ts'
import { refresh, tokensOf } from '../support/token-calls.ts'

// One file, because each way to deprovision a user below is tested against each kind of token.
let site: ScimSite
beforeAll(async () => {
  site = await startScimSite()
})
afterAll(() => site.close())

const remove = (id: string, from: ScimSite = site) => from.send({ method: 'DELETE', path: `/users/${id}` })
const deprovisionings = [
  ['active false', (id: string) => setActive(site, id, false), 'user.deactivated'],
  ['DELETE', (id: string) => remove(id), 'user.removed'],
] as const

const sendChanged = async (id: string, method: string, change: (user: object) => object) =>
  site.send({
    method,
    path: method === 'POST' ? '/Users' : `/Users/${id}`,
    body: change((await site.send({ path: `/Users/${id}` })).json),
  })
const sendPatch = (id: string, operation: object) =>
  sendChanged(id, 'PATCH', () => ({ schemas: [message], Operations: [operation] }))
const sendInBulk = (operation: object) =>
  site.send({ method: 'POST', path: '/Bulk', body: { schemas: [bulk], Operations: [operation] } })
const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const bulk = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** Every request with which an identity provider deprovisions a user. */
const allDeprovisionings = [
  ...deprovisionings,
  [
    'PUT with active false',
    (id: string) => sendChanged(id, 'PUT', (user) => ({ ...user, active: false })),
    'user.deactivated',
  ],
  [
    'POST of the externalId with active false',
    (id: string) => sendChanged(id, 'POST', (user) => ({ ...user, active: false })),
    'user.deactivated',
  ],
  [
    'a PATCH without path',
    (id: string) => sendPatch(id, { op: 'replace', value: { active: false } }),
    'user.deactivated',
  ],
  [
    'a PATCH with a string',
    (id: string) => sendPatch(id, { op: 'Replace', path: 'active', value: 'False' }),
    'user.deactivated',
  ],
  [
    'a PATCH with the URN of the attribute as path',
    (id: string) => sendPatch(id, { op: 'add', path: `${core}:ACTIVE`, value: false }),
    'user.deactivated',
  ],
  [
    'a PATCH with the URN of the schema as path',
    (id: string) => sendPatch(id, { op: 'replace', path: core, value: { Active: false } }),
    'user.deactivated',
  ],
  [
    'a PATCH in Bulk',
    (id: string) =>
      sendInBulk({ method: 'PATCH', path: `/Users/${id}`, data: [{ op: 'replace', path: 'active', value: false }] }),
    'user.deactivated',
  ],
  ['a DELETE in Bulk', (id: string) => sendInBulk({ method: 'DELETE', path: `/users/${id}` }), 'user.removed'],
] as const

describe('SCIM life cycle: deactivation revokes every token in the same request', () => {
  it.each(allDeprovisionings)(
    '%s: rejects the code, refresh token, introspection and userinfo at once',
    async (_, end, type) => {
      const id = await provisionTestUser(site, { externalId: randomUUID() })
      const tokens = await signIn(site, id)
      const code = await codeOf(site, id)

      const ended = await end(id)

      expect(ended.status).toBeLessThan(300)
      expect(await useEveryToken(site, tokens)).toEqual(allRefused)
      const redeemed = await redeem(site.oauth, code)
      expect([redeemed.status, redeemed.json['error']]).toEqual([400, 'invalid_grant'])
      expect(site.events.findLast((event) => event.type === type)).toMatchObject({
        type,
        providerId: 'T1',
        userId: id,
        revoked: { grants: [{ clientId: 'A' }] },
      })
    },
  )

  it.each(allDeprovisionings)(
    "%s: the host's session no longer signs the user in, and no new code is issued",
    async (_, end) => {
      const id = await provisionTestUser(site, { externalId: randomUUID() })
      await signIn(site, id)

      await end(id)

      const reply = await authorize(site.oauth, { prompt: 'none' }, { cookie: signedInAs(site.oauth, id) })
      expect(reply.location.searchParams.get('code')).toBeNull()
      expect(reply.location.searchParams.get('error')).toBe('login_required')
    },
  )

  it('everything works before the deactivation', async () => {
    expect(await useEveryToken(site, await signIn(site, await provisionTestUser(site)))).toEqual(allAccepted)
  })

  it('reactivation restores no token issued before, and the user can sign in again', async () => {
    const id = await provisionTestUser(site)
    const before = await signIn(site, id)
    await setActive(site, id, false)

    const reply = await setActive(site, id, true)

    expect([reply.status, reply.json['active']]).toEqual([200, true])
    expect(await useEveryToken(site, before)).toEqual(allRefused)
    expect(await useEveryToken(site, await signIn(site, id))).toEqual(allAccepted)
    expect(site.events.findLast((event) => event.type === 'user.reactivated')).toMatchObject({ userId: id })
  })

  it('a deactivated user can still be read', async () => {
    const id = await provisionTestUser(site, { userName: 'still-here@x' })
    await setActive(site, id, false)

    expect((await site.send({ path: `/users/${id}` })).json).toMatchObject({ id, active: false })
  })

  it('repeating a deactivation changes nothing', async () => {
    const id = await provisionTestUser(site)
    await setActive(site, id, false)
    const before = await site.storage.users.find(userId(id))

    const again = await setActive(site, id, false)

    expect(again.status).toBe(200)
    expect(await site.storage.users.find(userId(id))).toEqual(before)
  })
})

describe('SCIM life cycle: removed and linked users', () => {
  it('a second DELETE is 404 (RFC 7644 §3.6)', async () => {
    const id = await provisionTestUser(site)
    expect((await remove(id)).status).toBe(204)

    await expectScimRefusal(site, { status: 404, reason: 'resource_not_found' }, () => remove(id))
  })

  it('exactly one of 50 concurrent DELETEs removes the user', async () => {
    const id = await provisionTestUser(site)

    const replies = await Promise.all(Array.from({ length: 50 }, () => remove(id)))

    expect(sortedStatuses(replies)).toEqual([204, ...Array.from({ length: 49 }, () => 404)])
  })

  it('ignores the body of a DELETE', async () => {
    const id = await provisionTestUser(site)

    const reply = await site.send({ method: 'DELETE', path: `/users/${id}`, body: { active: false } })

    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(await site.storage.users.find(userId(id))).toBeUndefined()
  })

  it('removal frees the names, but the identifier is never reused', async () => {
    const names = { userName: 'phoenix@x', externalId: 'phoenix' }
    const first = await provisionTestUser(site, names)
    await remove(first)

    const second = await provisionTestUser(site, names)

    expect(second).not.toBe(first)
    expect((await site.send({ path: `/users/${first}` })).status).toBe(404)
  })

  it('removing a user that existed before the provider removes only the link; the user remains, inactive', async () => {
    const adopting = await startScimSite({
      link: ({ externalId }) => Promise.resolve(externalId === 'u1' ? userId('U1') : undefined),
    })
    onTestFinished(adopting.close)
    const id = await provisionTestUser(adopting, { externalId: 'u1' })
    const tokens = await signIn(adopting, id)
    expect(id).toBe('U1')

    const reply = await remove(id, adopting)

    expect(reply.status).toBe(204)
    expect(await useEveryToken(adopting, tokens)).toEqual(allRefused)
    expect(await adopting.storage.users.find(userId('U1'))).toMatchObject({
      active: false,
      claims: { address: { country: 'GB' } },
    })
    expect((await adopting.send({ path: `/users/${id}` })).status).toBe(404)
    expect(adopting.events.at(-2)).toMatchObject({ type: 'user.released', userId: 'U1' })
  })

  it('a user linked and deactivated in one request is inactive at once, unless the host protects it', async () => {
    let isProtected = true
    const adopting = await startScimSite({
      link: () => Promise.resolve(userId('U1')),
      mayChange: () => Promise.resolve(!isProtected),
    })
    onTestFinished(adopting.close)
    const tokens = await signIn(adopting, 'U1')
    const link = () =>
      adopting.send({
        method: 'POST',
        path: '/Users',
        body: { schemas: [core], userName: 'u1', externalId: 'u1', active: false },
      })

    await expectScimRefusal(adopting, { status: 403, reason: 'change_refused' }, link)
    isProtected = false
    const reply = await link()

    expect([reply.status, reply.json['id'], reply.json['active']]).toEqual([201, 'U1', false])
    expect(await useEveryToken(adopting, tokens)).toEqual(allRefused)
    expect(adopting.events.slice(-2)).toMatchObject([
      { type: 'user.linked', userId: 'U1' },
      { type: 'user.deactivated', userId: 'U1', revoked: { grants: [{ clientId: 'A' }] } },
    ])
  })

  it('without the link hook, provisioning links no existing user by userName or e-mail', async () => {
    const id = await provisionTestUser(site, { userName: 'U1', emails: [{ value: 'ann@example.test', primary: true }] })

    expect(id).not.toBe('U1')
  })
})

describe('SCIM life cycle: races', () => {
  it.each(deprovisionings)('leaves no token active after %s and a concurrent redemption', async (_, end) => {
    for (let round = 0; round < 20; round += 1) {
      const id = await provisionTestUser(site)
      const code = await codeOf(site, id)

      const [redeemed] = await Promise.all([redeem(site.oauth, code), end(id)])

      if (redeemed.status === 200) expect(await useEveryToken(site, tokensOf(redeemed))).toEqual(allRefused)
    }
  })

  it.each(deprovisionings)('leaves no token active after %s and a concurrent refresh', async (_, end) => {
    for (let round = 0; round < 20; round += 1) {
      const id = await provisionTestUser(site)
      const tokens = await signIn(site, id)

      const [refreshed] = await Promise.all([refresh(site.oauth, tokens.refresh_token), end(id)])

      if (refreshed.status === 200) expect(await useEveryToken(site, tokensOf(refreshed))).toEqual(allRefused)
      expect(await useEveryToken(site, tokens)).toEqual(allRefused)
    }
  })

  it('an event listener that throws does not prevent a deactivation', async () => {
    const failing = await startScimSite({
      onEvent: () => {
        throw new Error('the log is down')
      },
    })
    onTestFinished(failing.close)
    const id = await provisionTestUser(failing)
    const tokens = await signIn(failing, id)

    expect((await setActive(failing, id, false)).status).toBe(200)
    expect(await useEveryToken(failing, tokens)).toEqual(allRefused)
  })
})
