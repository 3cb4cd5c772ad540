import { describe, expect, test } from 'vitest'

import { defineResourceType, defineSchema } from '../../src/index.ts'
import { enterpriseUserSchema, userSchema } from '../../src/engine.ts'
import { idOf, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

// Rules of RFC 7643 and RFC 7644 that are easy to get wrong, tested with whole requests.

const core = userSchema.id
const enterprise = enterpriseUserSchema.id
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const kim = { schemas: [core], userName: 'kim@x.test', displayName: 'Kim', title: 'Doctor' }

interface Kim extends ScimUnderTest {
  readonly path: string
  readonly created: ScimReply
  patch(...operations: readonly object[]): Promise<ScimReply>
  put(body: object): Promise<ScimReply>
  read(): Promise<ScimReply>
}

async function startKim(change: object = {}, options: Parameters<typeof startScim>[0] = {}): Promise<Kim> {
  const scim = await startScim(options)
  const created = await scim.send({ method: 'POST', path: '/Users', body: { ...kim, ...change } })
  const path = `/Users/${idOf(created)}`
  return {
    ...scim,
    path,
    created,
    patch: (...operations) =>
      scim.send({ method: 'PATCH', path, body: { schemas: [patchOp], Operations: operations } }),
    put: (body) => scim.send({ method: 'PUT', path, body: { ...kim, ...body } }),
    read: () => scim.send({ path }),
  }
}

describe('values', () => {
  test('null, [] and absent are equal: a PUT with null clears, and no response contains null (RFC 7643 §2.5)', async () => {
    const scim = await startKim({ nickName: null, emails: [], roles: [{ value: 'r', display: null }] })

    expect(scim.created.body).not.toHaveProperty('nickName')
    expect(scim.created.body).not.toHaveProperty('emails')
    const { body } = await scim.put({ title: null, roles: null })
    expect(body).not.toHaveProperty('title')
    expect(body).not.toHaveProperty('roles')
    expect(JSON.stringify(body)).not.toContain('null')
  })

  test('a value that becomes primary replaces the previous primary value (RFC 7643 §2.4)', async () => {
    const scim = await startKim({
      emails: [
        { value: 'a@x', type: 'work', primary: true },
        { value: 'b@x', type: 'home' },
      ],
    })

    const { body } = await scim.patch({ op: 'replace', path: 'emails[type eq "home"].primary', value: true })

    expect(body?.['emails']).toEqual([
      { value: 'a@x', type: 'work', primary: false },
      { value: 'b@x', type: 'home', primary: true },
    ])
  })

  test('the server assigns $ref below the tenant URL (RFC 7643 §2.3.7)', async () => {
    const { created } = await startKim({ [enterprise]: { manager: { value: 'm1', $ref: '../Users/m1' } } })

    expect(created.body).toMatchObject({
      [enterprise]: { manager: { value: 'm1', $ref: 'https://as.test/scim/v2/enterprise-idps/T1/Users/m1' } },
    })
  })

  test('compares times across time zones, and refuses a time without a zone (RFC 7643 §2.3.5)', async () => {
    const scim = await startKim()
    const found = async (filter: string) =>
      (await scim.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })).body?.['totalResults']

    expect(await found('meta.created eq "2026-09-21T16:13:20+02:00"')).toBe(1)
    expect(await found('meta.created lt "2026-09-21T14:13:21.5Z"')).toBe(1)
    expect(await found('meta.created eq "2026-09-21T14:13:20"')).toBeUndefined()
    expect(scim.lastReason()).toBe('filter_value_type')
  })
})

describe('common attributes', () => {
  test('the server assigns the id, which contains no bulkId (RFC 7643 §3.1)', async () => {
    const { created } = await startKim({ id: 'mine' })

    expect(idOf(created)).toMatch(/^[A-Za-z0-9_-]{20,}$/)
    expect(idOf(created)).not.toMatch(/mine|bulkid/i)
  })

  test('the server assigns meta: version equals ETag, location equals Content-Location, and lastModified first equals created (RFC 7643 §3.1)', async () => {
    const scim = await startKim({
      meta: { version: 'x', location: 'https://evil.test', lastModified: '1970-01-01T00:00:00Z' },
    })
    const { body, headers } = await scim.read()

    const meta = body?.['meta'] as Readonly<Record<string, string>>
    expect(meta['lastModified']).toBe(meta['created'])
    expect(meta['version']).toBe(headers.get('etag'))
    expect(meta['version']).toMatch(/^W\//)
    expect(meta['location']).toBe(headers.get('content-location'))
    expect(scim.created.headers.get('location')).toBe(meta['location'])
  })

  test('schemas lists each schema in use once: an extension is added and removed with its attributes (RFC 7643 §3)', async () => {
    const scim = await startKim({ schemas: [core, core, enterprise, 'urn:example:unknown'] })
    expect(scim.created.body?.['schemas']).toEqual([core])

    const added = await scim.patch({ op: 'add', path: `${enterprise}:department`, value: 'Ops' })
    const removed = await scim.patch({ op: 'remove', path: `${enterprise}:department` })

    expect(added.body?.['schemas']).toEqual([core, enterprise])
    expect(removed.body?.['schemas']).toEqual([core])
  })

  test('attributes returned always cannot be excluded, attributes returned never cannot be requested, and attributes returned request must be requested (RFC 7643 §7)', async () => {
    const badges = defineSchema({
      id: 'urn:example:schemas:Badges',
      name: 'Badges',
      attributes: [{ name: 'badge', returned: 'request' }],
    })
    const userType = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [badges] })
    const scim = await startKim({ [badges.id]: { badge: '7' } }, { userType })
    const shown = async (query: string) => (await scim.send({ path: `${scim.path}?${query}` })).body

    expect((await scim.read()).body).not.toHaveProperty([badges.id])
    expect(await shown(`attributes=${badges.id}:badge`)).toMatchObject({ [badges.id]: { badge: '7' } })
    expect(await shown('attributes=password')).toEqual({ id: idOf(scim.created), schemas: [core, badges.id] })
    const without = await shown('excludedAttributes=id,schemas,userName')
    expect(without).toMatchObject({ id: idOf(scim.created), schemas: [core, badges.id] })
    expect(without).not.toHaveProperty('userName')
  })

  test('no response contains a password (RFC 7643 §4.1.1)', async () => {
    const scim = await startKim({ password: 'hunter2' })
    const patched = await scim.patch({ op: 'replace', value: { password: 'hunter3' } })

    for (const reply of [scim.created, patched, await scim.put({ password: 'hunter4' }), await scim.read()]) {
      expect(JSON.stringify(reply.body)).not.toMatch(/password|hunter/)
    }
  })
})

describe('requests', () => {
  test('a POST responds with 201 and Location, ignores read-only attributes, and refuses a taken userName with 409 (RFC 7644 §3.3)', async () => {
    const scim = await startKim({ groups: [{ value: 'g' }] })

    expect(scim.created).toMatchObject({
      status: 201,
      body: { meta: { location: scim.created.headers.get('location') } },
    })
    expect(scim.created.body).not.toHaveProperty('groups')
    expect(await scim.send({ method: 'POST', path: '/Users', body: { ...kim, externalId: 'other' } })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness', status: '409' },
    })
  })

  test('PUT clears omitted attributes and ignores read-only ones (RFC 7644 §3.5.1)', async () => {
    const scim = await startKim({ nickName: 'K' })

    const { status, body } = await scim.send({
      method: 'PUT',
      path: scim.path,
      body: { schemas: [core], userName: 'kim2', id: 'x', meta: {} },
    })

    expect([status, body?.['id'], body?.['userName']]).toEqual([200, idOf(scim.created), 'kim2'])
    for (const name of ['nickName', 'displayName', 'title']) expect(body).not.toHaveProperty(name)
  })

  test('PATCH applies operations in order, and all or none (RFC 7644 §3.5.2)', async () => {
    const scim = await startKim()

    const failed = await scim.patch(
      { op: 'replace', path: 'title', value: 'x' },
      { op: 'replace', path: 'unknown', value: 1 },
    )
    expect(failed).toMatchObject({ status: 400, body: { scimType: 'invalidPath' } })
    expect((await scim.read()).body).toEqual(scim.created.body)

    const done = await scim.patch(
      { op: 'replace', path: 'title', value: 'x' },
      { op: 'remove', path: 'title' },
      { op: 'add', path: 'title', value: 'y' },
    )
    expect(done.body).toMatchObject({ title: 'y' })
  })

  test('replace adds an absent attribute, and replaces only the given sub-attributes of a complex value (RFC 7644 §3.5.2.3)', async () => {
    const scim = await startKim({ name: { givenName: 'Kim', familyName: 'Lee' } })

    const { body } = await scim.patch(
      { op: 'replace', path: 'nickName', value: 'K' },
      { op: 'replace', path: 'name', value: { familyName: 'Li' } },
    )
    const none = await scim.patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'k@x' })

    expect(body).toMatchObject({ nickName: 'K', name: { givenName: 'Kim', familyName: 'Li' } })
    expect(none).toMatchObject({ status: 400, body: { scimType: 'noTarget' } })
  })

  test('a PATCH with the parameter attributes responds with these attributes (RFC 7644 §3.5.2)', async () => {
    const scim = await startKim()

    const reply = await scim.send({
      method: 'PATCH',
      path: `${scim.path}?attributes=title`,
      body: { schemas: [patchOp], Operations: [{ op: 'replace', path: 'title', value: 'x' }] },
    })

    expect(reply).toMatchObject({ status: 200, body: { schemas: [core], id: idOf(scim.created), title: 'x' } })
    expect(Object.keys(reply.body ?? {})).toEqual(['schemas', 'id', 'title'])
  })

  test.each([
    'application/scim+json',
    'application/json',
    'application/json;charset=UTF-8',
    'Application/SCIM+JSON; charset="utf-8"',
  ])('accepts %s and responds with application/scim+json (RFC 7644 §3.8)', async (type) => {
    const scim = await startScim()

    const { status, headers } = await scim.send({
      method: 'POST',
      path: '/Users',
      headers: { 'content-type': type },
      body: kim,
    })

    expect([status, headers.get('content-type')]).toEqual([201, 'application/scim+json'])
  })

  test.each([
    [401, { path: '/Users', authorization: undefined }],
    [404, { path: '/nothing' }],
    [405, { path: '/Users', method: 'DELETE' }],
    [415, { path: '/Users', method: 'POST', headers: { 'content-type': 'text/plain' }, body: kim }],
    [501, { path: '/Me' }],
  ])('%i is a SCIM error with the status as a string (RFC 7644 §3.12)', async (status, sent) => {
    const scim = await startScim()

    const reply = await scim.send(sent)

    expect(reply).toMatchObject({
      status,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status) },
    })
    expect(reply.body?.['detail']).toEqual(expect.stringMatching(/./))
    expect(reply.headers.has('www-authenticate')).toBe(status === 401)
  })
})
