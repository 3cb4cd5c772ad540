import { expect, it } from 'vitest'

import type { Reply } from '../../support/send.ts'
import type { ReachableServer } from '../../support/server-under-test.ts'
import type { Suite } from './suite.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchMessage = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const base = '/scim/v2/enterprise-idps/directory'

let count = 0

/** Sends a request as the directory, with the body as JSON. */
const send = (site: ReachableServer, method: string, path: string, body?: object): Promise<Reply> =>
  site.send({
    method,
    path: base + path,
    headers: { authorization: `Bearer ${site.clients.directory.secret}`, 'content-type': 'application/scim+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** The life cycle of a user as its identity provider sees it. */
export const scimSuite: Suite = (reach) => {
  it('the directory creates, finds, changes, deactivates and removes a user (RFC 7644 §3)', async () => {
    const site = reach()
    const userName = `Suite.${Date.now()}.${(count += 1)}@x.test`
    const created = await send(site, 'POST', '/Users', {
      schemas: [core],
      userName,
      emails: [{ value: userName, type: 'work' }],
    })
    const path = `/Users/${String(created.json['id'])}`

    expect([created.status, created.header('location')]).toEqual([201, site.issuer + base + path])
    for (const filter of [`userName eq "${userName.toUpperCase()}"`, `emails[type eq "work"].value eq "${userName}"`]) {
      const found = await send(site, 'GET', `/Users?filter=${encodeURIComponent(filter)}`)
      expect([found.status, found.json['totalResults']], filter).toEqual([200, 1])
    }
    const patched = await send(site, 'PATCH', path, {
      schemas: [patchMessage],
      Operations: [
        { op: 'add', path: 'name.givenName', value: 'Kim' },
        { op: 'replace', path: 'active', value: false },
      ],
    })
    expect([patched.status, patched.json['active'], patched.json['name']]).toEqual([200, false, { givenName: 'Kim' }])
    const removed = await send(site, 'DELETE', path)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await send(site, 'GET', path)).status).toBe(404)
  })

  it('a group accepts a new member and shows it (RFC 7644 §3.5.2)', async () => {
    const site = reach()
    const userName = `member.${Date.now()}.${(count += 1)}@x.test`
    const member = String((await send(site, 'POST', '/Users', { schemas: [core], userName })).json['id'])
    const group = await send(site, 'POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Ops',
    })
    const path = `/Groups/${String(group.json['id'])}`

    await send(site, 'PATCH', path, {
      schemas: [patchMessage],
      Operations: [{ op: 'add', path: 'members', value: [{ value: member }] }],
    })

    expect((await send(site, 'GET', path)).json['members']).toMatchObject([{ value: member, type: 'User' }])
  })

  it('a caller without the secret gets a SCIM error (RFC 7644 §3.12)', async () => {
    const site = reach()
    const reply = await site.send({ path: `${base}/Users`, headers: { authorization: 'Bearer wrong' } })

    expect([reply.status, reply.header('content-type'), reply.json['status']]).toEqual([
      401,
      'application/scim+json',
      '401',
    ])
    expect(reply.header('www-authenticate')).toBe('Bearer realm="scim", error="invalid_token"')
  })
}
