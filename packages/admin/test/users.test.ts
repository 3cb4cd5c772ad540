import { userId } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { registerIdentityProvider } from '@mintmark/scim'
import type { CustomField } from '../src/index.ts'
import { expectRefused, signIn, startAdmin } from './admin-under-test.ts'

/** Creates a Standard Schema. */
const schema = (read: (value: unknown) => unknown): CustomField['schema'] => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const output = read(value)
      return output === undefined ? { issues: [{ message: 'no' }] } : { value: output }
    },
  },
})
const text = schema((value) => (typeof value === 'string' ? value.trim() : undefined))
const customFields: readonly CustomField[] = [
  { name: 'employeeNumber', schema: text, claim: 'employee_number' },
  { name: 'notes', schema: schema((value) => value) },
]

it('creates a user with claims and custom fields, and copies mapped fields to their claims', async () => {
  const system = startAdmin({ customFields })

  const user = await system.admin.users.create({
    userId: 'ann',
    claims: { name: 'Ann' },
    customFields: { employeeNumber: ' 42 ', notes: [1] },
  })

  expect(user).toMatchObject({
    userId: 'ann',
    active: true,
    claims: { name: 'Ann', employee_number: '42' },
    customFields: { employeeNumber: '42', notes: [1] },
  })
  expect((await system.storage.users.find(userId('ann')))?.claims).toEqual({
    name: 'Ann',
    employee_number: '42',
    custom_fields: { employeeNumber: '42', notes: [1] },
  })
})

it('members that a change leaves out stay as they are, and null removes a value (RFC 7396 §2)', async () => {
  const system = startAdmin({ customFields })
  await system.admin.users.create({
    userId: 'ann',
    claims: { name: 'Ann', email: 'a@x.test' },
    customFields: { employeeNumber: '42', notes: 'x' },
  })

  const user = await system.admin.users.update(
    { userId: 'ann' },
    { claims: { email: null, locale: 'en' }, customFields: { employeeNumber: null } },
  )

  expect(user).toMatchObject({ claims: { name: 'Ann', locale: 'en' }, customFields: { notes: 'x' }, version: 2 })
})

it('accepts claims of 32,768 characters', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })
  const name = 'x'.repeat(32_768 - '{"name":""}'.length)

  expect((await system.admin.users.update({ userId: 'ann' }, { claims: { name } })).claims).toEqual({ name })
})

it('accepts claims with members of any JSON type, up to eight levels deep', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })
  const claims = { address: { region: null, postal_code: '1', floors: [1, true] }, deep: [[[[[[[1]]]]]]] }

  expect((await system.admin.users.update({ userId: 'ann' }, { claims })).claims).toEqual(claims)
})

it('rejects claims that the protocol or a custom field sets, and values that a schema rejects', async () => {
  const system = startAdmin({ customFields })
  await system.admin.users.create({ userId: 'ann' })
  const update = (change: object) => () => system.admin.users.update({ userId: 'ann' }, change)

  for (const name of ['sub', 'iss', 'custom_fields', 'employee_number', 'scope'])
    await expectRefused(system, update({ claims: { [name]: 'x' } }), 'claim_reserved')
  for (const name of ['toString', '', 'a b', 'x'.repeat(129)])
    await expectRefused(system, update({ claims: { [name]: 'x' } }), 'claim_invalid')
  await expectRefused(system, update({ claims: JSON.parse('{"__proto__":{"admin":true}}') as object }), 'claim_invalid')
  await expectRefused(system, update({ claims: { name: 'a\u0000' } }), 'claim_invalid')
  await expectRefused(system, update({ claims: { name: 'x'.repeat(40_000) } }), 'claims_too_large')
  await expectRefused(system, update({ claims: { name: [[[[[[[[[1]]]]]]]]] } }), 'claims_too_large')
  // `{"name":"…"}` of 32,769 characters.
  await expectRefused(system, update({ claims: { name: 'x'.repeat(32_758) } }), 'claims_too_large')
  await expectRefused(system, update({ customFields: { employeeNumber: 7 } }), 'custom_field_invalid')
  await expectRefused(system, update({ customFields: { salary: 1 } }), 'custom_field_unknown')
  expect({}).not.toHaveProperty('admin')
})

it.each<readonly [string, readonly Omit<CustomField, 'schema'>[]]>([
  ['a b is not a valid name', [{ name: 'a b' }]],
  ['toString is not a valid name', [{ name: 'toString' }]],
  ['The custom field a is declared twice', [{ name: 'a' }, { name: 'a' }]],
  ['a cannot be the claim sub', [{ name: 'a', claim: 'sub' }]],
  ['a cannot be the claim a b', [{ name: 'a', claim: 'a b' }]],
  [
    'b cannot be the claim x',
    [
      { name: 'a', claim: 'x' },
      { name: 'b', claim: 'x' },
    ],
  ],
])('rejects an invalid custom field at startup: %s', (problem, declared) => {
  const customFields = declared.map((field) => ({ ...field, schema: text }))

  expect(() => startAdmin({ customFields })).toThrow(problem)
})

it('rejects an identifier that a user had before, or that a client has (OIDC Core §2)', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })
  await system.admin.clients.create({ clientId: 'app', clientName: 'App', grantTypes: [] })
  await system.admin.users.remove('ann')

  await expectRefused(system, () => system.admin.users.create({ userId: 'ann' }), 'identifier_taken')
  await expectRefused(system, () => system.admin.users.create({ userId: 'app' }), 'identifier_taken')
  await expectRefused(system, () => system.admin.users.create({ userId: 'a b' }), 'identifier_invalid')
})

it('random identifiers are valid whatever bytes they start with', async () => {
  for (const byte of [0x00, 0xf8, 0xfc, 0xff]) {
    const system = startAdmin({ random: (length) => new Uint8Array(length).fill(byte) })

    expect((await system.admin.users.create()).userId).toHaveLength(22)
    expect((await system.admin.organizations.create({ displayName: 'Acme' })).organizationId).toHaveLength(22)
    expect(
      (await system.admin.clients.create({ clientName: 'App', grantTypes: [], clientId: 'app' })).client.clientId,
    ).toBe('app')
  }
})

it('a deactivation revokes everything issued and lists it, and a reactivation does not restore it', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })
  await signIn(system, 'ann')

  const { user, revoked } = await system.admin.users.deactivate('ann')
  const again = await system.admin.users.deactivate('ann')
  await system.admin.users.reactivate('ann')

  expect(user.active).toBe(false)
  expect(revoked).toEqual({ grants: [{ grantId: 'g-ann-app-0', clientId: 'app' }], sessionIds: ['s-ann-app-0'] })
  expect(again.revoked).toEqual({ grants: [], sessionIds: [] })
  expect(await system.storage.users.find(userId('ann'))).toMatchObject({ active: true, generation: 1 })
  expect(await system.admin.sessions.listOfUser('ann')).toEqual([])
  expect(await system.admin.grants.listOfUser('ann')).toMatchObject([{ grantId: 'g-ann-app-0', honoured: false }])
})

it('revokes all access of a user, who stays active, and lists what was revoked', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })
  await signIn(system, 'ann')

  const revoked = await system.admin.users.revokeAccess('ann')

  expect(revoked).toEqual({ grants: [{ grantId: 'g-ann-app-0', clientId: 'app' }], sessionIds: ['s-ann-app-0'] })
  expect(await system.storage.users.find(userId('ann'))).toMatchObject({ active: true, generation: 1, version: 1 })
  expect(await system.admin.sessions.listOfUser('ann')).toEqual([])
  expect(await system.admin.grants.listOfUser('ann')).toMatchObject([{ grantId: 'g-ann-app-0', honoured: false }])
  await expect(system.admin.users.revokeAccess('nobody')).rejects.toMatchObject({ reason: 'user_unknown' })
})

it('lists users that match a filter, page by page, and rejects invalid filters (RFC 7644 §3.4.2.2)', async () => {
  const system = startAdmin({ customFields })
  for (const [id, email] of [
    ['a', 'a@x.test'],
    ['b', 'b@y.test'],
    ['c', 'c@x.test'],
  ] as const) {
    await system.admin.users.create({ userId: id, claims: { email }, customFields: { employeeNumber: id } })
    system.clock.advance(1)
  }
  await system.admin.users.deactivate('c')
  await registerIdentityProvider({ providerId: 'corp' }, { storage: system.storage })
  const found = async (filter: string) => (await system.admin.users.list({ filter })).items.map(({ userId: id }) => id)

  expect(await found('claims.email ew "@x.test"')).toEqual(['a', 'c'])
  expect(await found('active eq true and not (id eq "a")')).toEqual(['b'])
  expect(await found('claims.employee_number eq "b"')).toEqual(['b'])
  expect(await found('provider pr')).toEqual([])
  expect(await found('created gt "2026-09-21T14:13:20Z"')).toEqual(['b', 'c'])
  const first = await system.admin.users.list({ limit: 2 })
  expect(first.total).toBe(3)
  expect((await system.admin.users.list({ limit: 2, after: first.next })).items).toHaveLength(1)
  for (const filter of [
    'externalId eq "x"',
    'meta.created pr',
    'claims.sub eq "x"',
    'claims.employeeNumber eq "b"',
    'id',
    '',
    'active gt true',
    String.raw`claims.name eq "\u0000"`,
    String.raw`claims.name eq "\ud800"`,
  ]) {
    await expectRefused(system, () => system.admin.users.list({ filter }), 'filter_invalid')
  }
})

it('applies two concurrent changes, and rejects a change of an old version', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })

  await Promise.all([
    system.admin.users.update({ userId: 'ann' }, { claims: { name: 'Ann' } }),
    system.admin.users.update({ userId: 'ann' }, { claims: { locale: 'en' } }),
  ])

  expect((await system.admin.users.read('ann')).claims).toEqual({ name: 'Ann', locale: 'en' })
  await expectRefused(
    system,
    () => system.admin.users.update({ userId: 'ann', version: 1 }, { claims: { name: 'Late' } }),
    'version_mismatch',
  )
  const { version } = await system.admin.users.read('ann')
  await system.admin.users.update({ userId: 'ann', version }, { claims: { name: 'Ann Lee' } })
  expect((await system.admin.users.read('ann')).claims['name']).toBe('Ann Lee')
})
