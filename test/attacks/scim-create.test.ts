import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { expectScimRefusal, type ScimRefusal } from '../support/expect-scim-refusal.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { sortedStatuses } from '../support/sorted-statuses.ts'

// One file, because a third of its lines are the tables of rejected requests.
let site: ScimSite
beforeAll(async () => {
  site = await startScimSite({ toleranceProfile: 'general' })
})
afterAll(() => site.close())

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const user = (change: object = {}): object => ({ schemas: [core], userName: 'alice@x', active: true, ...change })
const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, query = '') =>
  site.send({ method: 'POST', path: `/users${query}`, headers, body })

let count = 0
const freshName = (): string => `user${(count += 1)}@x`

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

describe('SCIM create: rejected requests store nothing', () => {
  const syntax = (reason: ScimRefusal['reason']): ScimRefusal => ({ status: 400, scimType: 'invalidSyntax', reason })
  const value = (reason: ScimRefusal['reason']): ScimRefusal => ({ status: 400, scimType: 'invalidValue', reason })
  const emails = (list: unknown) => user({ emails: list })
  type Row = readonly [row: string, body: unknown, refusal: ScimRefusal]

  it.each<Row>([
    ['an empty body', '', syntax('body_malformed')],
    ['null', 'null', syntax('body_malformed')],
    ['an array', '[]', syntax('body_malformed')],
    ['a string', '"x"', syntax('body_malformed')],
    ['a number', '1', syntax('body_malformed')],
    ['half an object', '{', syntax('body_malformed')],
    ['a megabyte too much', ' '.repeat(5_242_880), { status: 413, reason: 'message_too_large' }],
    ['a depth of 10,000', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, syntax('body_too_deep')],
    ['a list nested 10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, syntax('body_too_deep')],
    [
      'bytes that are not UTF-8',
      bytes('{"schemas":["', core, '"],"userName":"', [0xff, 0xfe], '"}'),
      syntax('body_malformed'),
    ],
    ['an unpaired surrogate', `{"schemas":["${core}"],"userName":"a\\ud800"}`, value('value_characters')],
    ['a NUL', `{"schemas":["${core}"],"userName":"a\\u0000"}`, value('value_characters')],
    ['a byte order mark', bytes([0xef, 0xbb, 0xbf], JSON.stringify(user())), syntax('body_malformed')],
    ['a repeated member', `{"schemas":["${core}"],"userName":"alice","userName":"admin"}`, syntax('member_repeated')],
    [
      'a repeated member, once escaped',
      `{"schemas":["${core}"],"userName":"alice","user\\u004eame":"admin"}`,
      syntax('member_repeated'),
    ],
    [
      'a repeated member in different case',
      `{"schemas":["${core}"],"userName":"alice","USERNAME":"admin"}`,
      syntax('member_repeated'),
    ],
    ['no userName', { schemas: [core] }, value('value_required')],
    ['an empty userName', user({ userName: '' }), value('value_required')],
    ['a userName of spaces', user({ userName: '   ' }), value('value_characters')],
    ['a userName of null', user({ userName: null }), value('value_required')],
    ['a userName of 1,025 characters', user({ userName: 'a'.repeat(1025) }), value('value_too_long')],
    ['a control character', user({ userName: 'a\u0007b' }), value('value_characters')],
    ['a bidirectional override', user({ userName: 'a\u202eb' }), value('value_characters')],
    ['a zero-width space', user({ userName: 'a\u200bb' }), value('value_characters')],
    ['a ligature', user({ userName: '\ufb01x' }), value('value_characters')],
    ['e-mails as an object', emails({ value: 'a@x' }), value('value_type')],
    ['e-mails as a string', emails('a@x'), value('value_type')],
    [
      '101 e-mails',
      emails(Array.from({ length: 101 }, (_, index) => ({ value: `a${index}@x` }))),
      value('value_too_many'),
    ],
    [
      'two primary e-mails',
      emails([
        { value: 'a@x', primary: true },
        { value: 'b@x', primary: true },
      ]),
      value('value_primary_twice'),
    ],
    ['a number as an e-mail', emails([{ value: 1 }]), value('value_type')],
    ['a line break in an e-mail', emails([{ value: 'a@b\r\nBcc: x' }]), value('value_characters')],
    ['an extension as an array', user({ [enterprise]: [] }), value('value_type')],
    ['an extension as a string', user({ [enterprise]: 'x' }), value('value_type')],
    ['a value that is not a boolean', user({ active: 'yes' }), value('value_type')],
  ])('%s (RFC 7644 §3.3)', async (_, body, refusal) => {
    await expectScimRefusal(site, refusal, () => post(body))
  })

  it.each([
    'text/plain',
    'application/xml',
    '',
    'application/scim+json; charset=utf-16',
    'application/x-www-form-urlencoded',
  ])('a body sent as %j is 415 (RFC 7644 §3.8)', async (type) => {
    await expectScimRefusal(site, { status: 415, reason: 'media_type' }, () => post(user(), { 'content-type': type }))
  })

  it('a compressed body is 415 and is not decompressed', async () => {
    await expectScimRefusal(site, { status: 415, reason: 'media_type' }, () =>
      post(user(), { 'content-encoding': 'gzip' }),
    )
  })

  it.each([
    [
      'an array of half a million elements',
      `{"schemas":["${core}"],"userName":"alice","emails":[${'1,'.repeat(499_000)}1]}`,
    ],
    ['80,000 keys', `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['keys like integers', `{${Array.from({ length: 80_000 }, (_, index) => `"${index * 65_536}":1`).join(',')}}`],
  ])('rejects %s', async (_, body) => {
    const before = site.dump()

    const reply = await post(body)

    expect([400, 413]).toContain(reply.status)
    expect(reply.json['schemas']).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error'])
    expect(site.dump()).toBe(before)
  })

  it('a body of more than 4 MiB is answered with 413 and a SCIM error', async () => {
    const reply = await post(user({ title: 'x'.repeat(4_194_304) }))

    expect([reply.status, reply.json['status']]).toEqual([413, '413'])
  })

  it('a path below a user is 404', async () => {
    await expectScimRefusal(site, { status: 404, reason: 'path_not_found' }, () =>
      site.send({ method: 'POST', path: '/users/x/y', body: user() }),
    )
  })
})

describe('SCIM create: duplicate names', () => {
  const conflict: ScimRefusal = { status: 409, scimType: 'uniqueness', reason: 'user_name_taken' }

  it.each([
    ['composed and decomposed characters', '\u00e9lan', 'e\u0301lan'],
    ['full-width', 'alan', '\uff41lan'],
    ['the Kelvin sign and k', 'kai', '\u212aai'],
    ['letters in different case', 'Zoe@X.test', 'zOE@x.TEST'],
    ['the same name again, without an externalId', 'again@x', 'again@x'],
  ])('treats two names as the same: %s (RFC 7644 §3.3)', async (_, first, second) => {
    expect((await post(user({ userName: first }))).status).toBe(201)

    await expectScimRefusal(site, conflict, () => post(user({ userName: second })))
  })

  it.each([
    ['\u00df and ss', 'stra\u00dfe', 'strasse'],
    ['\u0130 and i', '\u0130nci', 'inci'],
  ])('treats %s as different user names (RFC 8265 §3.3)', async (_, first, second) => {
    expect((await post(user({ userName: first }))).status).toBe(201)
    expect((await post(user({ userName: second }))).status).toBe(201)
  })

  it('exactly one of 50 concurrent requests with one name creates the user', async () => {
    const names = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'same@x' : 'SAME@X'))

    const replies = await Promise.all(names.map((userName) => post(user({ userName }))))

    expect(sortedStatuses(replies)).toEqual([201, ...Array.from({ length: 49 }, () => 409)])
  })

  it('50 concurrent requests with one externalId all return the same user', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => post(user({ userName: 'once@x', externalId: 'once' }))),
    )

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(replies.map(({ json }) => json['id'])).size).toBe(1)
  })
})

describe('SCIM create: accepted requests', () => {
  it('ignores meta, id and groups in the request (RFC 7643 §3.1)', async () => {
    const reply = await post(
      user({
        userName: freshName(),
        id: 'chosen',
        groups: [{ value: 'admins' }],
        meta: { created: '1970-01-01T00:00:00Z', resourceType: 'Admin', location: 'https://evil', version: 'x' },
      }),
    )

    expect(reply.status).toBe(201)
    expect(reply.json['id']).not.toBe('chosen')
    expect(reply.json).not.toHaveProperty('groups')
    expect(reply.json['meta']).toMatchObject({
      resourceType: 'User',
      version: 'W/"1"',
      location: reply.header('location'),
    })
    expect(reply.text).not.toMatch(/1970|evil/)
  })

  it.each(['1', '0', '-1', '7f3b9d52-6d43-4dfb-9b7a-0f6f6a5b2f11'])(
    'treats the externalId %j as a string, not as an id',
    async (externalId) => {
      const reply = await post(user({ userName: freshName(), externalId }))

      expect(reply.json['externalId']).toBe(externalId)
      expect((await site.send({ path: `/users/${externalId}` })).status).toBe(404)
    },
  )

  it('externalIds are case-sensitive (RFC 7643 §3.1)', async () => {
    const [first, second] = [
      await post(user({ userName: freshName(), externalId: 'Ab' })),
      await post(user({ userName: freshName(), externalId: 'aB' })),
    ]

    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.json['id']).not.toBe(second.json['id'])
  })

  it('never returns a password, stores it or writes it to an event (RFC 7643 §4.1.1)', async () => {
    const reply = await post(
      user({ userName: freshName(), password: 'hunter2-secret' }),
      {},
      '?attributes=password,userName',
    )

    expect(reply.status).toBe(201)
    expect(reply.text).not.toMatch(/password|hunter2/)
    expect(site.dump()).not.toContain('hunter2')
    expect(JSON.stringify(site.events)).not.toContain('hunter2')
  })

  it('nothing a provider writes grants a privilege', async () => {
    const reply = await post(
      user({
        userName: freshName(),
        roles: [{ value: 'owner' }],
        entitlements: [{ value: 'everything' }],
        userType: 'admin',
        isAdmin: true,
        email_verified: true,
        emails: [{ value: 'ceo@victim.test', primary: true }],
      }),
    )

    const stored = await site.storage.users.find(reply.json['id'] as never)
    expect(reply.status).toBe(201)
    expect(Object.keys(stored?.claims ?? {}).toSorted()).toEqual(['email', 'email_verified', 'preferred_username'])
    expect(stored?.claims['email_verified']).toBe(false)
    expect(reply.json).not.toHaveProperty('isAdmin')
  })

  it.each([
    ['"True"', 'True', true],
    ['"False"', 'False', false],
  ])('accepts active as the string %s', async (_, active, expected) => {
    expect((await post(user({ userName: freshName(), active }))).json['active']).toBe(expected)
  })

  it.each(['<script>alert(1)</script>', '=cmd()', '"; DROP TABLE users;--'])(
    'stores %j unchanged and returns it as JSON',
    async (displayName) => {
      const reply = await post(user({ userName: freshName(), displayName }))

      expect(reply.json['displayName']).toBe(displayName)
      expect([reply.header('content-type'), reply.header('x-content-type-options')]).toEqual([
        'application/scim+json',
        'nosniff',
      ])
    },
  )

  it("attribute names match in any case and are returned in the schema's spelling", async () => {
    const name = freshName()

    const reply = await post({
      Schemas: [core],
      USERNAME: name,
      Active: true,
      Emails: [{ Primary: true, Type: 'work', Value: 'a@x' }],
    })

    expect(reply.json).toMatchObject({
      userName: name,
      active: true,
      emails: [{ primary: true, type: 'work', value: 'a@x' }],
    })
  })

  it('treats a schema that is listed twice in different case as one', async () => {
    const reply = await post(user({ userName: freshName(), schemas: [core, core.toUpperCase(), core] }))

    expect([reply.status, reply.json['schemas']]).toEqual([201, [core]])
  })

  it('returns only the attributes that the query names and the attributes that are always returned (RFC 7644 §3.9)', async () => {
    const reply = await post(user({ userName: freshName(), title: 'Boss' }), {}, '?attributes=title')

    expect(Object.keys(reply.json).toSorted()).toEqual(['id', 'schemas', 'title'])
  })

  it('responds with SCIM even if the request accepts only HTML', async () => {
    const reply = await post(user({ userName: freshName() }), { accept: 'text/html' })

    expect([reply.status, reply.header('content-type')]).toEqual([201, 'application/scim+json'])
  })

  it.each([
    ['__proto__', '"__proto__":{"isAdmin":true}'],
    ['constructor', '"constructor":{"prototype":{"isAdmin":true}}'],
    ['__proto__ inside a name', '"name":{"__proto__":{"x":1},"givenName":"A"}'],
    ['__proto__ as an extension', `"${enterprise}":{"__proto__":{"x":1},"department":"Ops"}`],
  ])('%s has no side effects on objects', async (_, member) => {
    const reply = await post(`{"schemas":["${core}"],"userName":"${freshName()}",${member}}`)

    expect([201, 400]).toContain(reply.status)
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    expect(reply.text).not.toMatch(/__proto__|isAdmin/)
  })
})
