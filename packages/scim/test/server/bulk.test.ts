import { StorageUnavailableError, type JsonObject } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import type { ScimRefusalReason } from '../../src/index.ts'
import { countFunctionCallsAsync } from '../fixtures/function-calls.ts'
import { expectPrototypesUntouchedAsync } from '../fixtures/prototypes-untouched.ts'
import {
  aGroup,
  expectRefusal,
  groupSchema,
  patchOp,
  startDirectory,
  type Directory,
  type ExpectedRefusal,
} from '../fixtures/directory-under-test.ts'
import type { ScimReply } from '../fixtures/scim-under-test.ts'

const bulkRequest = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const base = 'https://as.test/scim/v2/enterprise-idps/T1'

const aUser = (bulkId: string, more: object = {}) => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { schemas: [core], userName: `${bulkId}@x`, ...more },
})
const aTeam = (bulkId: string, members: readonly string[]) => ({
  method: 'POST',
  path: '/Groups',
  bulkId,
  data: { ...aGroup(members), displayName: bulkId },
})

const message = (Operations: readonly unknown[], more: object = {}) => ({ schemas: [bulkRequest], ...more, Operations })
const bulk = (directory: Directory, operations: readonly unknown[], more: object = {}) =>
  directory.send({ method: 'POST', path: '/Bulk', body: message(operations, more) })
const resultsOf = ({ body }: ScimReply) => (body?.['Operations'] ?? []) as readonly JsonObject[]
const statusesOf = (reply: ScimReply) => resultsOf(reply).map(({ status }) => status)
const idIn = ({ location }: JsonObject) =>
  typeof location === 'string' ? location.slice(location.lastIndexOf('/') + 1) : ''
const reasonsOf = ({ events }: Directory) =>
  events.flatMap((event) => (event.type === 'request.refused' ? [event.reason] : []))

describe('operations', () => {
  test.each(['GET', 'TRACE', 'post'])(
    'strict: an operation with the method %s fails without affecting the others (RFC 7644 §3.7.3)',
    async (method) => {
      const directory = await startDirectory(0, 'strict')

      const reply = await bulk(directory, [aUser('kim'), { ...aUser('lou'), method }, aUser('max')])

      expect(reply.status).toBe(200)
      expect(statusesOf(reply)).toEqual(['201', '400', '201'])
      expect(resultsOf(reply)[1]).toMatchObject({
        method,
        bulkId: 'lou',
        response: { status: '400', scimType: 'invalidSyntax' },
      })
      expect(reasonsOf(directory)).toEqual(['bulk_operation_malformed'])
      expect(await directory.send({ path: '/Users?count=0' })).toMatchObject({ body: { totalResults: 2 } })
    },
  )

  test('general: accepts methods in any case', async () => {
    const directory = await startDirectory(1)

    const reply = await bulk(directory, [
      { ...aUser('kim'), method: 'post' },
      { method: 'Delete', path: `/Users/${directory.users[0]}` },
    ])

    expect(statusesOf(reply)).toEqual(['201', '204'])
    expect(resultsOf(reply)).toMatchObject([{ method: 'POST' }, { method: 'DELETE' }])
  })

  test('runs POST, PUT, PATCH and DELETE, each with its status, location and version (RFC 7644 §3.7.3)', async () => {
    const directory = await startDirectory(3)
    const [one = '', two = '', three = ''] = directory.users

    const reply = await bulk(directory, [
      aUser('alice'),
      { method: 'PUT', path: `/Users/${one}`, data: { schemas: [core], userName: 'bob@x' } },
      {
        method: 'PATCH',
        path: `/users/${two}`,
        version: 'W/"1"',
        data: { schemas: [patchOp], Operations: [{ op: 'replace', path: 'active', value: false }] },
      },
      { method: 'DELETE', path: `/Users/${three}`, version: 'W/"1"', data: { schemas: ['bulkId:nobody'] } },
    ])

    const [alice = {}] = resultsOf(reply)
    expect(reply).toMatchObject({
      status: 200,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'] },
    })
    expect(resultsOf(reply)).toEqual([
      { method: 'POST', bulkId: 'alice', location: `${base}/Users/${idIn(alice)}`, version: 'W/"1"', status: '201' },
      { method: 'PUT', location: `${base}/Users/${one}`, version: 'W/"2"', status: '200' },
      { method: 'PATCH', location: `${base}/Users/${two}`, version: 'W/"2"', status: '200' },
      { method: 'DELETE', location: `${base}/Users/${three}`, status: '204' },
    ])
    expect(await directory.send({ path: `/Users/${idIn(alice)}` })).toMatchObject({ body: { userName: 'alice@x' } })
    expect(await directory.send({ path: `/Users/${two}` })).toMatchObject({ body: { active: false } })
    expect((await directory.send({ path: `/Users/${three}` })).status).toBe(404)
  })

  test.each<[string, unknown]>([
    [
      'with schemas (RFC 7644 erratum 5050)',
      { schemas: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value: 'Dev' }] },
    ],
    [
      'with schemas in another case (RFC 7643 §2.1)',
      { SCHEMAS: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value: 'Dev' }] },
    ],
    ['without schemas', { Operations: [{ op: 'replace', path: 'displayName', value: 'Dev' }] }],
    ['as a bare list of operations, which RFC 7644 §3.7 shows', [{ op: 'replace', path: 'displayName', value: 'Dev' }]],
  ])('accepts the data of a PATCH, %s', async (_, data) => {
    const directory = await startDirectory(0, 'strict')
    const id = await directory.createGroup()

    expect(statusesOf(await bulk(directory, [{ method: 'PATCH', path: `/Groups/${id}`, data }]))).toEqual(['200'])
    expect(await directory.send({ path: `/Groups/${id}` })).toMatchObject({ body: { displayName: 'Dev' } })
  })

  test.each<[string, unknown, ScimRefusalReason]>([
    [
      'with the schema of users',
      { schemas: [core], Operations: [{ op: 'remove', path: 'displayName' }] },
      'schemas_missing',
    ],
    ['that is a string', 'Dev', 'body_malformed'],
    ['that is a number', 5, 'body_malformed'],
    ['that is a boolean', true, 'body_malformed'],
    ['that is null', null, 'body_malformed'],
  ])('refuses the data of a PATCH %s (RFC 7644 §3.7)', async (_, data, reason) => {
    const directory = await startDirectory(0, 'strict')
    const id = await directory.createGroup()
    await directory.send({ path: `/Groups/${id}` })
    const before = directory.dump()

    const reply = await bulk(directory, [{ method: 'PATCH', path: `/Groups/${id}`, data }])

    expect(statusesOf(reply)).toEqual(['400'])
    expect(reasonsOf(directory)).toEqual([reason])
    expect(directory.dump()).toBe(before)
  })

  test('does not read the members of groups, which the response does not show', async () => {
    const directory = await startDirectory(3)
    const id = await directory.createGroup(aGroup(directory.users))
    directory.forgetCalls()

    const data = {
      schemas: [patchOp],
      Operations: [{ op: 'remove', path: `members[value eq "${directory.users[0]}"]` }],
    }
    await bulk(directory, [
      { method: 'PATCH', path: `/Groups/${id}`, data },
      { method: 'PUT', path: `/Groups/${id}`, data: aGroup(directory.users) },
      aTeam('dev', directory.users),
    ])

    expect(directory.calls.membersOf).toBe(0)
  })

  test('accepts an empty list of operations, and does nothing', async () => {
    const directory = await startDirectory(0)

    expect(await bulk(directory, [])).toMatchObject({ status: 200, body: { Operations: [] } })
  })

  test('the events of all operations share a correlation id', async () => {
    const directory = await startDirectory(0)
    const seen = directory.events.length

    await bulk(directory, [aUser('alice'), aUser('alice2'), { method: 'DELETE', path: '/Users/none' }])

    expect(new Set(directory.events.slice(seen).map(({ correlationId }) => correlationId)).size).toBe(1)
    expect(directory.events.slice(seen).map(({ type }) => type)).toEqual([
      'user.created',
      'user.created',
      'request.refused',
    ])
  })
})

describe('errors (RFC 7644 §3.7.3)', () => {
  const failing = { method: 'DELETE', path: '/Users/none' }

  test('a refused operation does not affect the others', async () => {
    const directory = await startDirectory(0)

    const reply = await bulk(directory, [
      failing,
      aUser('alice'),
      aUser('b', { userName: 'ALICE@x' }),
      { method: 'PUT', path: '/Groups/none', version: 'W/"1"', data: aGroup() },
    ])

    expect(resultsOf(reply)).toMatchObject([
      {
        method: 'DELETE',
        location: `${base}/Users/none`,
        status: '404',
        response: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
      },
      { status: '201' },
      { method: 'POST', bulkId: 'b', status: '409', response: { scimType: 'uniqueness' } },
      { status: '404' },
    ])
    expect(resultsOf(reply)[2]).not.toHaveProperty('location')
    expect(reasonsOf(directory)).toEqual(['resource_not_found', 'user_name_taken', 'resource_not_found'])
  })

  test.each([
    [1, ['404']],
    [2, ['404', '201', '404']],
    [3, ['404', '201', '404', '201']],
    [1000, ['404', '201', '404', '201']],
  ])('failOnErrors %i: stops after that many errors', async (failOnErrors, statuses) => {
    const directory = await startDirectory(0)

    const reply = await bulk(directory, [failing, aUser('a'), failing, aUser('b')], { failOnErrors })

    expect(statusesOf(reply)).toEqual(statuses)
    expect(await directory.send({ path: '/Users?count=0' })).toMatchObject({
      body: { totalResults: statuses.filter((status) => status === '201').length },
    })
  })

  test('refuses an outdated version and a resource of another provider', async () => {
    const directory = await startDirectory(1)
    const before = directory.dump()

    const reply = await bulk(directory, [
      { method: 'DELETE', path: `/Users/${directory.users[0]}`, version: 'W/"7"' },
      { method: 'DELETE', path: `/Users/${directory.users[0]}`, version: 'W/"7", *' },
      { method: 'DELETE', path: `/Users/${directory.stranger}` },
    ])

    expect(statusesOf(reply)).toEqual(['412', '412', '404'])
    expect(reasonsOf(directory)).toEqual(['version_mismatch', 'version_mismatch', 'resource_not_found'])
    expect(directory.dump()).toBe(before)
  })

  test('stops when storage is unavailable', async () => {
    const directory = await startDirectory(0)
    directory.failWith(new StorageUnavailableError('down'))

    const reply = await bulk(directory, [aTeam('a', []), aTeam('b', []), aTeam('c', [])])

    expect(statusesOf(reply)).toEqual(['503'])
    expect(reasonsOf(directory)).toEqual(['storage_unavailable'])
  })
})

describe('references (RFC 7644 §3.7.1, §3.7.2)', () => {
  test('resolves backward and forward references in members, a manager and paths', async () => {
    const directory = await startDirectory(0)

    const reply = await bulk(directory, [
      aTeam('ops', ['bulkId:alice', 'bulkId:inner']),
      aUser('alice', { [enterprise]: { manager: { value: 'bulkId:bob' } } }),
      {
        method: 'PATCH',
        path: '/Users/bulkId:alice',
        data: { Operations: [{ op: 'replace', path: 'title', value: 'Lead' }] },
      },
      {
        method: 'PATCH',
        path: '/Groups/bulkId:inner',
        data: { Operations: [{ op: 'add', path: 'members', value: [{ value: 'bulkId:bob' }] }] },
      },
      aTeam('inner', []),
      aUser('bob'),
      { method: 'DELETE', path: '/Users/bulkId%3Agone' },
      aUser('gone'),
    ])

    expect(statusesOf(reply)).toEqual(['201', '201', '200', '200', '201', '201', '204', '201'])
    const [ops, alice, , , inner, bob, , gone] = resultsOf(reply).map(idIn)
    expect(new Set(await directory.memberIds(ops ?? ''))).toEqual(new Set([alice, inner]))
    expect(await directory.memberIds(inner ?? '')).toEqual([bob])
    expect(await directory.send({ path: `/Users/${alice}` })).toMatchObject({
      body: { title: 'Lead', [enterprise]: { manager: { value: bob } } },
    })
    expect((await directory.send({ path: `/Users/${gone}` })).status).toBe(404)
  })

  test('keeps the order of the request where references allow it', async () => {
    const directory = await startDirectory(1)
    const path = `/Users/${directory.users[0]}`
    const title = (value: string) => ({
      method: 'PATCH',
      path,
      data: { Operations: [{ op: 'replace', path: 'title', value }] },
    })

    await bulk(directory, [title('a'), title('b'), aTeam('ops', ['bulkId:alice']), title('c'), aUser('alice')])

    expect(await directory.send({ path })).toMatchObject({
      body: { title: 'c', meta: { version: expect.stringMatching(/^W\/"4"/) as unknown } },
    })
  })

  const unresolved = { status: '409', response: { status: '409' } }
  const unknown = { status: '400', response: { scimType: 'invalidValue' } }
  test.each<[string, readonly object[], readonly object[], readonly string[]]>([
    [
      'a cycle',
      [aTeam('a', ['bulkId:b']), aTeam('b', ['bulkId:a']), aUser('c')],
      [unresolved, unresolved, { status: '201' }],
      ['bulk_id_unresolved', 'bulk_id_unresolved'],
    ],
    [
      'a cycle of three operations, and an operation that refers to the cycle',
      [aTeam('d', ['bulkId:a']), aTeam('a', ['bulkId:b']), aTeam('b', ['bulkId:c']), aTeam('c', ['bulkId:a'])],
      [unresolved, unresolved, unresolved, unresolved],
      ['bulk_id_unresolved', 'bulk_id_unresolved', 'bulk_id_unresolved', 'bulk_id_unresolved'],
    ],
    ['an operation that refers to itself', [aTeam('a', ['bulkId:a'])], [unresolved], ['bulk_id_unresolved']],
    [
      'a user whose manager is the user itself',
      [aUser('a', { [enterprise]: { manager: { value: 'bulkId:a' } } })],
      [unresolved],
      ['bulk_id_unresolved'],
    ],
    ['a reference to an unknown bulkId', [aTeam('a', ['bulkId:missing'])], [unknown], ['bulk_id_unknown']],
    ['a reference to the unknown bulkId __proto__', [aTeam('a', ['bulkId:__proto__'])], [unknown], ['bulk_id_unknown']],
    [
      'a filter in a path with an unknown bulkId',
      [
        {
          method: 'PATCH',
          path: '/Groups/any',
          data: { Operations: [{ op: 'remove', path: 'members[value eq "bulkId:missing"]' }] },
        },
      ],
      [unknown],
      ['bulk_id_unknown'],
    ],
    ['a reference to an empty bulkId', [aTeam('a', ['bulkId:'])], [unknown], ['bulk_id_unknown']],
    [
      'a path with an unknown bulkId',
      [{ method: 'DELETE', path: '/Users/bulkId:constructor' }],
      [unknown],
      ['bulk_id_unknown'],
    ],
    [
      'a reference to a resource that could not be created',
      [aTeam('a', ['bulkId:b']), aUser('b', { userName: '' })],
      [unresolved, { status: '400' }],
      ['value_required', 'bulk_id_unresolved'],
    ],
  ])('refuses %s', async (_, operations, results, reasons) => {
    const directory = await startDirectory(0)

    const reply = await bulk(directory, operations)

    expect(resultsOf(reply)).toMatchObject(results)
    expect(reasonsOf(directory)).toEqual(reasons)
    expect(await directory.send({ path: '/Groups?count=0' })).toMatchObject({ body: { totalResults: 0 } })
  })

  test('accepts __proto__ as a bulkId, and changes no prototype', async () => {
    const directory = await startDirectory(0)

    const reply = await expectPrototypesUntouchedAsync(() =>
      directory.send({
        method: 'POST',
        path: '/Bulk',
        body: JSON.stringify(message([aTeam('a', ['bulkId:__proto__']), aUser('__proto__')])).replace(
          '"displayName"',
          '"__proto__":{"isAdmin":true},"displayName"',
        ),
      }),
    )

    expect(statusesOf(reply)).toEqual(['201', '201'])
  })

  test.each(['forward', 'backward'])(
    'processes a chain of 1,000 %s references at a bounded cost',
    async (direction) => {
      const directory = await startDirectory(0)
      const chain = Array.from({ length: 1000 }, (_, index) =>
        aTeam(`g${index}`, index === 999 ? [] : [`bulkId:g${index + 1}`]),
      )

      const sent = direction === 'forward' ? chain : chain.toReversed()
      let reply: Awaited<ReturnType<typeof bulk>> | undefined
      const calls = await countFunctionCallsAsync(async () => void (reply = await bulk(directory, sent)))

      expect(new Set(reply && statusesOf(reply))).toEqual(new Set(['201']))
      expect(calls).toBeLessThan(2_000_000)
    },
  )
})

describe('paths stay below the tenant URL of the provider (RFC 7644 §3.7)', () => {
  const invalidPath: ExpectedRefusal = { status: 400, scimType: 'invalidSyntax', reason: 'bulk_path' }
  const notFound: ExpectedRefusal = { status: 404, reason: 'resource_not_found' }
  test.each<[string, string, string, ExpectedRefusal]>([
    ['dot segments', 'DELETE', '/Users/../../enterprise-idps/T2/users/STRANGER', invalidPath],
    ['encoded dot segments', 'DELETE', '/Users/..%2f..%2fT2%2fusers%2fSTRANGER', notFound],
    ['one segment of two dots', 'DELETE', '/Users/..', invalidPath],
    ['one encoded segment of two dots', 'DELETE', '/Users/%2e%2e', invalidPath],
    ['one segment of one dot', 'DELETE', '/Users/.', invalidPath],
    ['only a slash', 'POST', '/', invalidPath],
    ['a backslash', 'DELETE', '/Users\\STRANGER', invalidPath],
    ['an absolute URL', 'DELETE', 'https://as.test/scim/v2/enterprise-idps/T2/Users/STRANGER', invalidPath],
    ['a URL without a scheme', 'POST', '//evil.test/Users', invalidPath],
    ['another host after an at sign', 'POST', '@evil.test/Users', invalidPath],
    ['a user of another provider', 'DELETE', '/Users/STRANGER', notFound],
    ['a query', 'PATCH', '/Users/PERSON?attributes=userName', invalidPath],
    ['a fragment', 'DELETE', '/Users/PERSON#x', invalidPath],
    ['a malformed escape', 'DELETE', '/Users/%zz', invalidPath],
    ['U+0000', 'DELETE', '/Users/%00', invalidPath],
    ['half a surrogate pair', 'DELETE', '/Users/\ud800', invalidPath],
    ['a path without a leading slash', 'POST', 'Users', invalidPath],
    ['a trailing slash', 'POST', '/Users/', invalidPath],
    ['an empty path', 'POST', '', invalidPath],
    ['a path below a user', 'DELETE', '/Users/PERSON/emails', invalidPath],
    ['POST to a resource', 'POST', '/Users/PERSON', invalidPath],
    ['POST to a search', 'POST', '/Users/.search', invalidPath],
    ['DELETE of a collection', 'DELETE', '/Users', invalidPath],
    ['a Bulk request in a Bulk request', 'POST', '/Bulk', invalidPath],
    ['/Me', 'PATCH', '/Me', invalidPath],
    ['/Schemas', 'POST', '/Schemas', invalidPath],
    ['/__proto__', 'POST', '/__proto__', invalidPath],
    ['/constructor', 'POST', '/constructor', invalidPath],
  ])('refuses %s', async (_, method, sent, { status, scimType, reason }) => {
    const directory = await startDirectory(1)
    const before = directory.dump()
    const at = sent.replace('STRANGER', directory.stranger).replace('PERSON', directory.users[0] ?? '')

    const reply = await bulk(directory, [{ method, path: at, bulkId: 'x', data: { schemas: [core], userName: 'x' } }])

    const response = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      detail: expect.any(String) as unknown,
    }
    expect(resultsOf(reply)).toMatchObject([
      { method, status: String(status), response: scimType === undefined ? response : { ...response, scimType } },
    ])
    expect(reasonsOf(directory)).toEqual([reason])
    expect(directory.dump()).toBe(before)
  })
})

describe('the request as a whole', () => {
  const invalidSyntax = (reason: ExpectedRefusal['reason']): ExpectedRefusal => ({
    status: 400,
    scimType: 'invalidSyntax',
    reason,
  })
  const valid = aUser('fine')
  test.each<[string, unknown, ExpectedRefusal]>([
    ['another schema', { schemas: [patchOp], Operations: [valid] }, invalidSyntax('schemas_missing')],
    ['no Operations', { schemas: [bulkRequest] }, invalidSyntax('bulk_operations_missing')],
    ['Operations as an object', { schemas: [bulkRequest], Operations: {} }, invalidSyntax('bulk_operations_missing')],
    [
      'one operation too many',
      message(Array.from({ length: 1001 }, (_, index) => aUser(`u${index}`))),
      { status: 413, reason: 'bulk_too_large' },
    ],
    ['failOnErrors -1', message([valid], { failOnErrors: -1 }), invalidSyntax('bulk_errors_malformed')],
    ['failOnErrors "1"', message([valid], { failOnErrors: '1' }), invalidSyntax('bulk_errors_malformed')],
    ['failOnErrors 1e9', message([valid], { failOnErrors: 1e9 }), invalidSyntax('bulk_errors_malformed')],
    ['failOnErrors 1.5', message([valid], { failOnErrors: 1.5 }), invalidSyntax('bulk_errors_malformed')],
    ['failOnErrors true', message([valid], { failOnErrors: true }), invalidSyntax('bulk_errors_malformed')],
    [
      'the method __proto__',
      message([valid, { method: '__proto__', path: '/Users' }]),
      invalidSyntax('bulk_operation_malformed'),
    ],
    ['an operation without a method', message([valid, { path: '/Users' }]), invalidSyntax('bulk_operation_malformed')],
    ['an operation without a path', message([valid, { method: 'DELETE' }]), invalidSyntax('bulk_operation_malformed')],
    [
      'a path that is a number',
      message([valid, { method: 'DELETE', path: 1 }]),
      invalidSyntax('bulk_operation_malformed'),
    ],
    [
      'a version that is a number',
      message([valid, { method: 'DELETE', path: '/Users/1', version: 1 }]),
      invalidSyntax('bulk_operation_malformed'),
    ],
    ['an operation that is a string', message([valid, 'DELETE /Users/1']), invalidSyntax('bulk_operation_malformed')],
    ['a POST without a bulkId', message([valid, { ...valid, bulkId: undefined }]), invalidSyntax('bulk_id_missing')],
    ['a POST with an empty bulkId', message([valid, { ...valid, bulkId: '' }]), invalidSyntax('bulk_id_missing')],
    [
      'a repeated bulkId',
      message([valid, { ...valid, data: { schemas: [core], userName: 'other' } }]),
      invalidSyntax('bulk_id_repeated'),
    ],
    [
      'a repeated member name, in different case',
      message([valid, { method: 'DELETE', path: '/Users/1', PATH: '/Users/2' }]),
      invalidSyntax('member_repeated'),
    ],
  ])('refuses a request with %s, and executes no operation', async (_, body, refused) => {
    const directory = await startDirectory(0)

    await expectRefusal(directory, () => directory.send({ method: 'POST', path: '/Bulk', body }), refused)
  })

  test.each<[string, readonly unknown[], string]>([
    ['an operation that is a string', [valid, 'DELETE /Users/1'], 'Operations[1]'],
    ['an operation without a path', [{ method: 'DELETE' }], 'Operations[0]'],
    [
      'a version that is a number',
      [valid, { method: 'DELETE', path: '/Users/1', version: 1 }],
      'Operations[1].version',
    ],
    ['a POST without a bulkId', [valid, { ...valid, bulkId: undefined }], 'Operations[1]'],
    ['a repeated bulkId', [valid, valid], 'fine'],
  ])('names the operation: %s', async (_, operations, named) => {
    const directory = await startDirectory(0)

    const reply = await directory.send({ method: 'POST', path: '/Bulk', body: message(operations) })

    expect(reply.body?.['detail']).toStrictEqual(expect.stringContaining(` Received: ${named}.`))
  })

  test('names a bulkId that no operation has', async () => {
    const directory = await startDirectory(0)

    const reply = await bulk(directory, [aTeam('a', ['bulkId:missing'])])

    const detail = 'The operation refers to a bulkId that no POST of this request has. Received: missing.'
    expect(resultsOf(reply)).toMatchObject([{ response: { detail } }])
  })

  test('refuses a request without a secret', async () => {
    const directory = await startDirectory(0)

    await expectRefusal(
      directory,
      () => directory.send({ method: 'POST', path: '/Bulk', authorization: undefined, body: message([valid]) }),
      { status: 401, reason: 'credentials_missing' },
    )
  })

  test('refuses methods other than POST', async () => {
    const directory = await startDirectory(0)

    const reply = await directory.send({ method: 'PUT', path: '/Bulk', body: message([valid]) })

    expect(reply).toMatchObject({ status: 405, body: { status: '405' } })
    expect(reply.headers.get('allow')).toBe('POST')
  })

  test('runs 1,000 operations', async () => {
    const directory = await startDirectory(0)

    const reply = await bulk(
      directory,
      Array.from({ length: 1000 }, (_, index) => aUser(`u${index}`)),
    )

    expect(statusesOf(reply)).toEqual(Array.from({ length: 1000 }, () => '201'))
  })

  test('lets other requests run meanwhile, even if storage is synchronous', async () => {
    const directory = await startDirectory(0)
    let turns = 0
    const others = setInterval(() => (turns += 1), 0)

    await bulk(
      directory,
      Array.from({ length: 1000 }, (_, index) => aUser(`u${index}`)),
    )

    clearInterval(others)
    expect(turns).toBeGreaterThan(1)
  })

  test('accepts member names in any case', async () => {
    const directory = await startDirectory(0)

    const reply = await directory.send({
      method: 'POST',
      path: '/bulk',
      body: {
        SCHEMAS: [bulkRequest],
        operations: [
          {
            Method: 'POST',
            PATH: '/users',
            BulkID: 'a',
            Data: { schemas: [groupSchema.replace('Group', 'User')], userName: 'a' },
          },
        ],
      },
    })

    expect(statusesOf(reply)).toEqual(['201'])
  })
})
