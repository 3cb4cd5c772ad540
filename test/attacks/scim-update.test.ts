import { userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { expectScimRefusal, type ScimRefusal } from '../support/expect-scim-refusal.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { sortedStatuses } from '../support/sorted-statuses.ts'

// One file, because a third of its lines are the table of rejected requests.
let site: ScimSite
let id: string
let count = 0
beforeAll(async () => {
  site = await startScimSite({ mayChange: ({ userId: changed }) => Promise.resolve(!protectedIds.has(changed)) })
})
beforeEach(async () => {
  id = await create({ emails: threeMails, displayName: 'Alice' })
})
afterAll(() => site.close())

const protectedIds = new Set<string>()
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const threeMails = [{ value: 'a', type: 'work' }, { value: 'b', type: 'home' }, { value: 'c' }]

async function create(change: object = {}): Promise<string> {
  const body = { schemas: [core], userName: `user${(count += 1)}@x`, active: true, ...change }
  return String((await site.send({ method: 'POST', body })).json['id'])
}

const patchBody = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  site.send({ method: 'PATCH', path: `/users/${id}`, headers, body })
const patch = (...operations: readonly unknown[]) => patchBody({ schemas: [message], Operations: operations })
const read = async () => (await site.send({ path: `/users/${id}` })).json

describe('SCIM update: rejected requests change nothing', () => {
  const at = (path: string, value: unknown = 'x') => ({
    schemas: [message],
    Operations: [{ op: 'replace', path, value }],
  })
  const of = (...operations: readonly unknown[]) => ({ schemas: [message], Operations: operations })
  const refusal = (scimType: ScimRefusal['scimType'], reason: ScimRefusal['reason']) =>
    ({ status: 400, reason, ...(scimType === undefined ? {} : { scimType }) }) satisfies ScimRefusal
  const syntax = (reason: ScimRefusal['reason']) => refusal('invalidSyntax', reason)
  const path = (reason: ScimRefusal['reason']) => refusal('invalidPath', reason)
  const value = (reason: ScimRefusal['reason']) => refusal('invalidValue', reason)
  const deep = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  type Row = readonly [row: string, body: unknown, refusal: ScimRefusal]

  it.each<Row>([
    ['another schema', { schemas: ['urn:other'], Operations: [] }, syntax('operations_empty')],
    ['no Operations', { schemas: [message] }, syntax('operations_missing')],
    ['Operations as an object', { schemas: [message], Operations: {} }, syntax('operations_missing')],
    ['an empty object', {}, syntax('operations_missing')],
    ['no operation', of(), syntax('operations_empty')],
    ['an unknown operation', of({ op: 'move', path: 'title', value: 'x' }), syntax('operation_unknown')],
    ['remove without a path', of({ op: 'remove' }), refusal('noTarget', 'path_missing')],
    ['replace without a value', of({ op: 'replace', path: 'title' }), value('value_missing')],
    ['add without a value', of({ op: 'add', path: 'title' }), value('value_missing')],
    [
      'a change of id and meta',
      of({ op: 'replace', value: { id: 'x', meta: {} } }),
      refusal('mutability', 'attribute_read_only'),
    ],
    ['a change of groups', at('groups', [{ value: 'admins' }]), refusal('mutability', 'attribute_read_only')],
    ['__proto__', at('__proto__.isAdmin'), path('path_syntax')],
    ['constructor', at('constructor.prototype.x'), path('path_syntax')],
    ['name.__proto__', at('name.__proto__'), path('path_syntax')],
    ['__proto__ after a filter', at('emails[type eq "work"].__proto__'), path('path_syntax')],
    ['another tenant', at('../../T2/users/u21'), path('path_syntax')],
    ['a JSON pointer', at('/userName'), path('path_syntax')],
    ['a JSON path', at('$.userName'), path('path_unknown')],
    ['a path with dots', at('userName/../id'), path('path_syntax')],
    ['an unknown attribute', at('unknownAttr'), path('path_unknown')],
    ['an unknown URN', at('urn:unknown:x'), path('path_unknown')],
    ['a filter that matches nothing', at('emails[type eq "none"].value'), refusal('noTarget', 'path_no_match')],
    ['an index', at('userName[0]'), path('path_syntax')],
    ['an index after a dot', at('emails.0.value'), path('path_syntax')],
    ['active as "false "', at('active', 'false '), value('value_type')],
    ['active as 0', at('active', 0), value('value_type')],
    ['active as "no"', at('active', 'no'), value('value_type')],
    ['active as an empty list', at('active', []), value('value_type')],
    [
      'a valid operation before an invalid one',
      of({ op: 'replace', path: 'active', value: false }, { op: 'replace', path: 'nothing', value: 1 }),
      path('path_unknown'),
    ],
    [
      'one e-mail too many',
      of({ op: 'add', path: 'emails', value: Array.from({ length: 100 }, (_, index) => ({ value: `n${index}` })) }),
      value('value_too_many'),
    ],
    ['64 KiB of text', at('displayName', 'x'.repeat(65_536)), value('value_too_long')],
    ['a depth of 30', at('name', deep(27)), syntax('body_too_deep')],
    ['a depth of 1,000', at('name', deep(1000)), syntax('body_too_deep')],
    ['__proto__ below the manager', at(`${enterprise}:manager.value.__proto__`), path('path_syntax')],
    [
      'removing a required attribute',
      of({ op: 'remove', path: 'userName' }),
      refusal('mutability', 'attribute_required'),
    ],
  ])('%s (RFC 7644 §3.5.2)', async (_, body, expected) => {
    const before = await read()

    await expectScimRefusal(site, expected, () => patchBody(body))

    expect(await read()).toEqual(before)
  })

  it('too many operations are 413, before any of them is applied', async () => {
    const operations = Array.from({ length: 12_000 }, () => ({ op: 'add', path: 'title', value: 'x' }))

    await expectScimRefusal(site, { status: 413, reason: 'operations_too_many' }, () => patch(...operations))
  })

  it('rejects the userName of another user in different case (RFC 7644 §3.5.2)', async () => {
    await create({ userName: 'Taken@x' })

    await expectScimRefusal(site, { status: 409, scimType: 'uniqueness', reason: 'user_name_taken' }, () =>
      patch({ op: 'replace', path: 'userName', value: 'tAKEN@X' }),
    )
  })

  it('a user of another provider is 404', async () => {
    const headers = { authorization: `Bearer ${site.secrets.T2}` }

    await expectScimRefusal(site, { status: 404, reason: 'resource_not_found' }, () =>
      site.send({ method: 'PATCH', provider: 'T2', path: `/users/${id}`, headers, body: at('userName', 'mine') }),
    )
  })

  it('If-Match on a missing resource is 404', async () => {
    await expectScimRefusal(site, { status: 404, reason: 'resource_not_found' }, () =>
      site.send({ method: 'PATCH', path: '/users/nobody', headers: { 'if-match': '*' }, body: at('title') }),
    )
  })

  it.each(['PATCH', 'PUT', 'DELETE'])('a user that the host protects is 403 for %s', async (method) => {
    protectedIds.add(id)

    await expectScimRefusal(site, { status: 403, reason: 'change_refused' }, () =>
      site.send({
        method,
        path: `/users/${id}`,
        body: method === 'PATCH' ? at('active', false) : { schemas: [core], userName: 'new' },
      }),
    )
  })

  it('PUT never creates a resource (RFC 7644 §3.5.1)', async () => {
    await expectScimRefusal(site, { status: 404, reason: 'resource_not_found' }, () =>
      site.send({ method: 'PUT', path: '/users/new', body: { schemas: [core], userName: 'new' } }),
    )
  })

  it.each(['DELETE', 'PATCH'])('POST is never treated as %s, whatever a header says', async (method) => {
    const reply = await expectScimRefusal(site, { status: 405, reason: 'method_not_allowed' }, () =>
      site.send({
        method: 'POST',
        path: `/users/${id}`,
        headers: { 'x-http-method-override': method },
        body: at('title'),
      }),
    )

    expect(reply.header('allow')).toBe('GET, PUT, PATCH, DELETE')
  })

  it('the identifier of a manager is stored as a string and never looked up', async () => {
    await patch({
      op: 'add',
      path: `${enterprise}:manager`,
      value: { value: 'u21', $ref: 'https://evil/u21', displayName: 'x' },
    })

    const shown = await read()
    expect(shown[enterprise]).toEqual({
      manager: { value: 'u21', $ref: 'https://as.test/scim/v2/enterprise-idps/T1/Users/u21' },
    })
  })
})

describe('SCIM update: accepted requests', () => {
  it.each(['Add', 'REPLACE', 'replace'])('accepts the operation %s', async (op) => {
    expect((await patch({ op, path: 'title', value: 'Boss' })).json['title']).toBe('Boss')
  })

  it('active "False" deactivates the user', async () => {
    expect((await patch({ op: 'Replace', path: 'active', value: 'False' })).json['active']).toBe(false)
    expect(await site.storage.users.find(userId(id))).toMatchObject({ active: false, generation: 1 })
  })

  it('remove with a filter removes only the matching values', async () => {
    const reply = await patch({ op: 'remove', path: 'emails[value eq "a"]' })

    expect(reply.json['emails']).toEqual(threeMails.slice(1))
  })

  it('adding a value that is already present changes nothing, not even lastModified (RFC 7644 §3.5.2.1)', async () => {
    const before = await read()
    site.oauth.clock.advance(60)

    const reply = await patch(
      { op: 'add', path: 'emails', value: [threeMails[0]] },
      { op: 'add', path: 'displayName', value: 'Alice' },
    )

    expect(reply.json).toEqual(before)
    expect((await site.storage.users.find(userId(id)))?.version).toBe(1)
  })

  it('a new e-mail address is unverified', async () => {
    await patch({ op: 'replace', path: 'emails', value: [{ value: 'new@x', primary: true }] })

    expect((await site.storage.users.find(userId(id)))?.claims).toMatchObject({ email: 'new@x', email_verified: false })
  })

  it('accepts the URN of an attribute of the extension as a path, as Entra sends it', async () => {
    const reply = await patch({ op: 'Add', path: `${enterprise}:department`, value: 'Ops' })

    expect(reply.json[enterprise]).toEqual({ department: 'Ops' })
    expect(reply.json['schemas']).toEqual([core, enterprise])
  })

  it('PUT keeps id and meta, whatever the body says, and clears omitted attributes (RFC 7644 §3.5.1)', async () => {
    const before = await read()

    const reply = await site.send({
      method: 'PUT',
      path: `/users/${id}`,
      body: { schemas: [core], id: 'other', meta: { version: 'x' }, userName: before['userName'] },
    })

    expect(reply.json).toMatchObject({ id, meta: { version: 'W/"2"', resourceType: 'User' } })
    expect(reply.json).not.toHaveProperty('emails')
  })

  it('PUT without active leaves it unchanged and reactivates no user', async () => {
    await patch({ op: 'replace', path: 'active', value: false })

    const reply = await site.send({
      method: 'PUT',
      path: `/users/${id}`,
      body: { schemas: [core], userName: 'quiet@x' },
    })

    expect(reply.json['active']).toBe(false)
  })

  it('accepts a password, but neither stores nor returns it', async () => {
    const reply = await patch({ op: 'replace', value: { password: 'hunter2-again' } })

    expect(reply.status).toBe(200)
    expect(reply.text + site.dump() + JSON.stringify(site.events)).not.toContain('hunter2')
  })
})

describe('SCIM update: concurrent requests', () => {
  it('only one of two requests for the same userName succeeds', async () => {
    const others = [await create(), await create()]

    const replies = await Promise.all(
      others.map((other) =>
        site.send({
          method: 'PATCH',
          path: `/users/${other}`,
          body: { schemas: [message], Operations: [{ op: 'replace', path: 'userName', value: 'wanted@x' }] },
        }),
      ),
    )

    expect(sortedStatuses(replies)).toEqual([200, 409])
  })

  it('only one of two requests with the same If-Match succeeds (RFC 7644 §3.14)', async () => {
    const version = String((await read())['meta'] && ((await read())['meta'] as Record<string, string>)['version'])
    const change = (title: string) =>
      patchBody(
        { schemas: [message], Operations: [{ op: 'replace', path: 'title', value: title }] },
        { 'if-match': version },
      )

    const replies = await Promise.all([change('one'), change('other')])

    expect(sortedStatuses(replies)).toEqual([200, 412])
    expect(site.lastReason()).toBe('version_mismatch')
  })

  it('seven concurrent changes of different attributes all take effect', async () => {
    const names = ['title', 'nickName', 'userType', 'locale', 'timezone', 'profileUrl', 'preferredLanguage']

    const replies = await Promise.all(
      names.map((name) => patch({ op: 'replace', path: name, value: 'https://x.test/y' })),
    )

    const after = await read()
    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200))
    for (const name of names) expect(after[name]).toBe('https://x.test/y')
  })
})
