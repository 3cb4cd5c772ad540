import type { JsonValue } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { ToleranceProfile } from '../../src/index.ts'
import { aGroup, type Directory, groupSchema, patchOp, startDirectory } from '../fixtures/directory-under-test.ts'
import { idOf, issuer } from '../fixtures/scim-under-test.ts'
import { rounds } from '../../../../test/support/rounds.ts'

// A directory records an operation that succeeded and never repeats it. So whatever a server does not understand must
// not be answered with success if somebody could keep or lose access by it.

const profiles = ['strict', 'general', 'entra', 'okta', 'oneLogin', 'all'] as const
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const base = `${issuer}/scim/v2/enterprise-idps/T1`

interface Form {
  readonly json: (id: string) => JsonValue
  /** Whether the form names the member; if it does, a profile may still refuse it. */
  readonly names: boolean
}

const naming: readonly Form[] = [
  (id: string) => ({ value: id }),
  (id: string) => ({ VALUE: id, display: 'Kim', type: 'User' }),
  (id: string) => ({ value: id, $ref: null, name: 'Kim' }),
  (id: string) => ({ $ref: `../Users/${id}` }),
  (id: string) => ({ $REF: `${base}/users/${id}`, value: null }),
  (id: string) => ({ $ref: `/Users/${id}`, type: 'User' }),
  (id: string) => id,
].map((json) => ({ json, names: true }))

const meaningless: readonly Form[] = [
  () => ({}),
  () => ({ value: null }),
  () => ({ value: '', type: 'User' }),
  () => ({ display: 'kim' }),
  () => ({ type: 'User' }),
  () => ({ $ref: '' }),
  () => null,
  () => '',
  () => [],
  (id: string) => ({ id }),
  (id: string) => ({ value: null, id }),
  (id: string) => ({ value: { id } }),
  (id: string) => ({ member: { value: id } }),
  (id: string) => ({ members: [{ value: id }] }),
  (id: string) => ({ $ref: `https://elsewhere.example/Users/${id}` }),
  (id: string) => ({ $ref: `../Devices/${id}` }),
].map((json) => ({ json, names: false }))

const verbs = ['add', 'replace', 'remove', 'add by key', 'replace by key', 'PUT', 'POST'] as const
type Verb = (typeof verbs)[number]

/** Sends members with a verb. Returns the status, and the id of the group that the request wrote. */
async function sendMembers(directory: Directory, id: string, { verb, value }: { verb: Verb; value: JsonValue }) {
  const [op = '', byKey] = verb.split(' ')
  if (verb === 'PUT' || verb === 'POST') {
    const body = { schemas: [groupSchema], displayName: 'Ops', members: value }
    const reply = await directory.send({ method: verb, path: verb === 'PUT' ? `/Groups/${id}` : '/Groups', body })
    return { status: reply.status, id: verb === 'POST' && reply.status === 201 ? idOf(reply) : id }
  }
  const operation = byKey === undefined ? { op, path: 'members', value } : { op, value: { members: value } }
  return { status: (await directory.patch(id, operation)).status, id }
}

/** Returns the members that a request asks for. */
function intended(verb: Verb, before: readonly string[], named: readonly string[]): readonly string[] {
  if (verb.startsWith('add')) return [...new Set([...before, ...named])]
  return verb === 'remove' ? before.filter((id) => !named.includes(id)) : [...new Set(named)]
}

describe.each(profiles)('profile %s', (toleranceProfile) => {
  test('law: members become what a request names, or the request is refused and nobody joins or leaves (RFC 7643 §4.2)', async () => {
    const directory = await startDirectory(4, toleranceProfile)
    const form = fc.oneof(fc.constantFrom(...naming), fc.constantFrom(...meaningless))
    const element = fc.record({ form, person: fc.nat(3) })
    const wrapper = fc.constantFrom('list', 'list', 'single', 'nested')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...verbs),
        fc.array(element, { minLength: 1, maxLength: 3 }),
        wrapper,
        async (verb, elements, wrapped) => {
          const sent = wrapped === 'single' ? elements.slice(0, 1) : elements
          const personOf = (person: number) => directory.users[person] ?? ''
          const list = sent.map(({ form: { json }, person }) => json(personOf(person)))
          const value = wrapped === 'list' ? list : wrapped === 'single' ? (list[0] ?? null) : { members: list }
          // RFC 7643 §2.5: null and an empty list instead of a list of members mean that there are none.
          const isNone = value === null || (Array.isArray(value) && value.length === 0)
          fc.pre(!isNone)
          const before = [personOf(0), personOf(1)]
          const group = await directory.createGroup(aGroup(before))

          const { status, id } = await sendMembers(directory, group, { verb, value })

          const after = await directory.memberIds(id)
          const named = sent.map(({ person }) => personOf(person))
          const expected = status < 300 ? intended(verb, before, named) : before
          const isNamed = wrapped === 'nested' ? verb === 'remove' : true
          if (!isNamed || sent.some(({ form: { names } }) => !names)) {
            // RFC 7644 §3.12 invalidValue, unless a nested list of Salesforce's was meant by the form itself.
            const isSalesforce = verb === 'remove' && wrapped === 'single' && 'members' in Object(list[0])
            if (!isSalesforce) expect([status, value]).toEqual([400, value])
          }
          expect(after.toSorted()).toEqual(expected.toSorted())
        },
      ),
      { numRuns: rounds({ fast: 75, long: 300 }) },
    )
  })

  test('law: a role that a request does not name understandably neither stays nor goes with success (RFC 7644 §3.5.2.2)', async () => {
    const directory = await startDirectory(0, toleranceProfile)
    for (const element of [{}, { name: 'admin' }, { id: 'admin' }, { $ref: '../Roles/admin' }]) {
      for (const op of ['add', 'replace', 'remove', 'PUT', 'POST'] as const) {
        const { status, roles } = await sendRoles(directory, op, [element])
        expect([op, element, status, roles]).toEqual([op, element, 400, op === 'POST' ? [] : ['admin', 'user']])
      }
    }
    for (const value of [[{ display: 'Admin' }], [{ type: 'x' }], [{ value: null }], [null], '', {}]) {
      const { status, roles } = await sendRoles(directory, 'remove', value)
      expect([value, status, roles]).toEqual([value, 400, ['admin', 'user']])
    }
    const nested = await sendRoles(directory, 'remove', { roles: [{ value: 'admin' }] })
    expect(nested.roles).toEqual(nested.status === 200 ? ['user'] : ['admin', 'user'])
  })

  test('law: active becomes what a request says, or the request is refused (RFC 7643 §2.5)', async () => {
    const directory = await startDirectory(0, toleranceProfile)
    const values: readonly JsonValue[] = [
      ...deactivations,
      null,
      '',
      [],
      {},
      [null],
      [''],
      { value: null },
      { value: '' },
      0,
      'no',
      'false ',
      [[]],
    ]
    for (const value of values) {
      for (const verb of ['replace', 'add', 'remove', 'replace by key', 'add by key', 'PUT', 'POST'] as const) {
        const { status, active } = await sendActive(directory, verb, value)
        const isSuccess = status < 300
        // With success, the user is deactivated, as every understandable value says.
        expect([verb, value, active]).toEqual([verb, value, isSuccess ? false : verb !== 'POST'])
      }
    }
  })
})

const deactivations: readonly JsonValue[] = [false, 'False', [false], { value: false }, [{ value: 'false' }]]

let created = 0

async function createUser(directory: Directory, members: object): Promise<string> {
  created += 1
  const body = { schemas: [userSchema], userName: `kim-${created}`, ...members }
  return idOf(await directory.send({ method: 'POST', path: '/Users', body }))
}

/** Sends roles, for a user who has the roles admin and user, or for a new one. */
async function sendRoles(directory: Directory, op: 'add' | 'replace' | 'remove' | 'PUT' | 'POST', value: JsonValue) {
  const id = await createUser(directory, { roles: [{ value: 'admin' }, { value: 'user' }] })
  const { status, body } = await send(directory, { id, op, member: ['roles', value] })
  const user = op === 'POST' ? body : (await directory.send({ path: `/Users/${id}` })).body
  const roles = (user?.['roles'] ?? []) as readonly { readonly value?: string }[]
  return { status, roles: roles.map((role) => role.value) }
}

async function sendActive(directory: Directory, op: string, value: JsonValue) {
  const id = await createUser(directory, { active: true })
  const { status, body } = await send(directory, { id, op, member: ['active', value] })
  const user = op === 'POST' ? body : (await directory.send({ path: `/Users/${id}` })).body
  return { status, active: user?.['active'] ?? false }
}

interface Sent {
  readonly id: string
  readonly op: string
  readonly member: readonly [name: string, value: JsonValue]
}

function send(directory: Directory, { id, op, member: [name, value] }: Sent) {
  if (op === 'PUT' || op === 'POST') {
    created += 1
    const body = { schemas: [userSchema], userName: `kim-${created}`, [name]: value }
    return directory.send({ method: op, path: op === 'PUT' ? `/Users/${id}` : '/Users', body })
  }
  const [verb, byKey] = op.split(' ')
  const operation = byKey === undefined ? { op: verb, path: name, value } : { op: verb, value: { [name]: value } }
  return directory.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: { schemas: [patchOp], Operations: [operation] },
  })
}

test.each<ToleranceProfile>(['general', 'okta', 'entra', 'oneLogin', 'all'])(
  'profile %s: a PATCH without path deactivates a user although it has keys that no schema defines (RFC 7644 §3.3)',
  async (toleranceProfile) => {
    const directory = await startDirectory(0, toleranceProfile)
    const unknown = [
      { 'urn:acme:params:scim:schemas:extra:1.0:User': { a: 2 } },
      { 'urn:acme:params:scim:schemas:extra:1.0:User:level': 2 },
      { 'name.suffix': 'x', favouriteColor: 'red', 'a.b.c': 1, 'https://acme.example/scim': {} },
      { [`${userSchema}:favouriteColor`]: 'red', 'nickName[': null, 'favourite[type eq "x"].value': 'y' },
    ]
    for (const keys of unknown) {
      const id = await createUser(directory, {})
      const seen = directory.events.length
      const body = { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: false, ...keys } }] }

      const reply = await directory.send({ method: 'PATCH', path: `/Users/${id}`, body })

      if ('nickName[' in keys) expect(reply.status).toBe(400)
      else expect(reply).toMatchObject({ status: 200, body: { active: false } })
      if (reply.status === 200)
        expect(
          directory.events.slice(seen).flatMap((event) => ('applied' in event ? event.applied : [])),
        ).toContainEqual({ tolerance: 'unknown-attributes', count: Object.keys(keys).length })
    }
  },
)

test.each(['add', 'replace'])('an %s of a whole user repeats its groups (RFC 7644 §3.5.2)', async (op) => {
  const directory = await startDirectory(1)
  const [id = ''] = directory.users
  await directory.createGroup(aGroup([id]))
  const { body: user } = await directory.send({ path: `/Users/${id}` })
  const Operations = [{ op, value: { ...user, title: 'Chair' } }]

  const reply = await directory.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: { schemas: [patchOp], Operations },
  })

  expect(reply).toMatchObject({ status: 200, body: { title: 'Chair' } })
})

const tolerant = ['general', 'okta', 'entra', 'oneLogin', 'all'] as const

describe.each<ToleranceProfile>(tolerant)('profile %s, a remove', (toleranceProfile) => {
  test.each<readonly [title: string, operation: (id: string, other: string) => object]>([
    [
      'that lists fewer members than its filter selects',
      (id) => ({ path: 'members[type eq "User"]', value: [{ value: id }] }),
    ],
    [
      'that lists another member than its filter selects',
      (id, other) => ({ path: `members[value eq "${id}"]`, value: [{ value: other }] }),
    ],
    [
      'that lists a member who is not selected as well',
      (id, other) => ({ path: `members[value eq "${id}"]`, value: [{ value: id }, { value: other }] }),
    ],
    ['that repeats the attribute instead of its value', (id) => ({ path: 'members', members: [{ value: id }] })],
    ['whose list has another name than value', (id) => ({ path: 'members', values: [{ value: id }] })],
    [
      'that lists members under the URN of their schema',
      (id) => ({ path: groupSchema, value: { members: [{ value: id }] } }),
    ],
  ])('%s is refused, and nobody leaves (RFC 7644 §3.5.2.2)', async (_, operation) => {
    const directory = await startDirectory(2, toleranceProfile)
    const [one = '', two = ''] = directory.users
    const id = await directory.createGroup(aGroup([one, two]))

    const reply = await directory.patch(id, { op: 'remove', ...operation(one, two) })

    expect(reply).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } })
    expect((await directory.memberIds(id)).toSorted()).toEqual([one, two].toSorted())
  })

  test('whose value agrees with its filter removes the member, and again when the member has left (RFC 7644 §3.5.2.2)', async () => {
    const directory = await startDirectory(2, toleranceProfile)
    const [one = '', two = ''] = directory.users
    const id = await directory.createGroup(aGroup([one, two]))
    const leave = { op: 'remove', path: `members[value eq "${one}"]`, value: [{ value: one }] }

    expect([(await directory.patch(id, leave)).status, (await directory.patch(id, leave)).status]).toEqual([204, 204])
    expect(await directory.memberIds(id)).toEqual([two])
  })

  test.each([
    { path: 'roles.value', value: 'admin' },
    { path: 'roles[value pr].value', value: 'admin' },
    { path: 'roles[value pr]', value: [{ value: 'admin' }] },
    { path: 'roles[value eq "user"]', value: { value: 'admin' } },
    { path: enterprise, value: { department: 'Sales' } },
  ])('of $path that names only some values is refused (RFC 7644 §3.5.2.2)', async (operation) => {
    const directory = await startDirectory(0, toleranceProfile)
    const members = {
      roles: [{ value: 'admin' }, { value: 'user' }],
      [enterprise]: { department: 'Sales', division: 'A' },
    }
    const id = await createUser(directory, members)
    const body = { schemas: [patchOp], Operations: [{ op: 'remove', ...operation }] }

    const reply = await directory.send({ method: 'PATCH', path: `/Users/${id}`, body })

    expect([reply.status, reply.body?.['scimType'], directory.lastReason()]).toEqual([
      400,
      'invalidSyntax',
      'remove_with_value',
    ])
    expect((await directory.send({ path: `/Users/${id}` })).body).toMatchObject(members)
  })
})

describe.each<ToleranceProfile>(tolerant)(
  'profile %s, active in a place where it has no effect',
  (toleranceProfile) => {
    test.each([
      { [`${userSchema}.active`]: false },
      { 'active ': false },
      { [enterprise]: { active: false } },
      { [`${enterprise}:active`]: false },
    ])('is refused in a PATCH value, a PUT and a POST: %j (RFC 7644 §3.12)', async (members) => {
      const directory = await startDirectory(0, toleranceProfile)
      const id = await createUser(directory, {})
      created += 1
      const body = { schemas: [userSchema], userName: `kim-${created}`, ...members }
      const patch = { schemas: [patchOp], Operations: [{ op: 'replace', value: members }] }

      for (const [method, path, sent] of [
        ['PATCH', `/Users/${id}`, patch],
        ['PUT', `/Users/${id}`, body],
        ['POST', '/Users', body],
      ] as const) {
        const reply = await directory.send({ method, path, body: sent })
        expect([method, reply.status, directory.lastReason()]).toEqual([method, 400, 'attribute_unknown'])
        expect(reply.body?.['detail']).toContain('Did you mean active?')
      }
    })

    test('is no reason to refuse other attributes in such a place, which are ignored', async () => {
      const directory = await startDirectory(0, toleranceProfile)
      const id = await createUser(directory, {})
      const value = { active: false, [enterprise]: { title: 'Boss', department: 'Sales' } }

      const reply = await directory.send({
        method: 'PATCH',
        path: `/Users/${id}`,
        body: { schemas: [patchOp], Operations: [{ op: 'replace', value }] },
      })

      expect(reply.body).toMatchObject({ active: false, [enterprise]: { department: 'Sales' } })
      expect(reply.body).not.toHaveProperty('title')
    })

    test.each([{ [userSchema]: { active: false } }, { [`${userSchema}:active`]: false }])(
      'is refused below the URN of the core schema in a PUT and a POST: %j (RFC 7643 §3.3)',
      async (members) => {
        const directory = await startDirectory(0, toleranceProfile)
        const id = await createUser(directory, {})
        created += 1
        const body = { schemas: [userSchema], userName: `kim-${created}`, ...members }

        for (const [method, path] of [
          ['PUT', `/Users/${id}`],
          ['POST', '/Users'],
        ] as const) {
          const { status } = await directory.send({ method, path, body })
          expect([method, status, directory.lastReason()]).toEqual([method, 400, 'attribute_unknown'])
        }
      },
    )
  },
)
