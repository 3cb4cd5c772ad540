import { epochSeconds, userId } from '@mintmark/storage-interface'
import { type ListQuery } from '@mintmark/storage-interface/stores'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, test } from 'vitest'

import { defineResourceType, defineSchema, userResourceType } from '../../src/index.ts'
import { enterpriseUserSchema, userSchema } from '../../src/engine.ts'
import { aGroup, expectRefusal, startDirectory, type ExpectedRefusal } from '../fixtures/directory-under-test.ts'
import { idsOf, namesOf, resourcesOf, startUsers } from '../fixtures/users-under-test.ts'
import { issuer, startScim } from '../fixtures/scim-under-test.ts'

const base = 'https://as.test/scim/v2/enterprise-idps/T1'
const department = `${enterpriseUserSchema.id}:department`
const invalidFilter = (reason: ExpectedRefusal['reason']): ExpectedRefusal => ({
  status: 400,
  scimType: 'invalidFilter',
  reason,
})

test('a list contains its totals as numbers, and complete resources (RFC 7644 §3.4.2)', async () => {
  const users = await startUsers()

  const { status, headers, body } = await users.list('/Users')

  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/scim+json')
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 4,
    startIndex: 1,
    itemsPerPage: 4,
  })
  expect(Object.keys(body ?? {})).not.toContain('nextCursor')
  const kim = await users.send({ path: `/Users/${users.ids['Kim']}` })
  expect(resourcesOf({ status, headers, body })[0]).toEqual(kim.body)
})

test('responds with 200 and an empty list when nothing matches, and ignores unknown parameters (RFC 7644 §3.4.2)', async () => {
  const users = await startUsers()

  const reply = await users.list('/users', { filter: 'userName eq "nobody"', unknown: '1', aadOptscim062020: '' })

  expect(reply).toMatchObject({
    status: 200,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      Resources: [],
      startIndex: 1,
      itemsPerPage: 0,
    },
  })
})

test('lists deactivated users, but neither removed users nor users of another provider', async () => {
  const users = await startUsers()
  await users.send({ method: 'DELETE', path: `/Users/${users.ids['Max']}` })

  expect(namesOf(await users.list('/Users'))).toEqual(['Kim', 'Lou', 'Ann'])
  expect(await users.send({ path: '/Users', provider: 'T2' })).toMatchObject({
    status: 200,
    body: { totalResults: 1, Resources: [{ userName: 'stranger' }] },
  })
})

describe('filters', () => {
  test.each<[string, readonly string[]]>([
    ['userName eq "KIM@x.TEST"', ['Kim']],
    ['externalId eq "ab"', ['Kim']],
    ['externalId eq "aB"', []],
    ['externalId sw "A"', ['Lou']],
    ['displayName ew "IM"', ['Kim']],
    ['displayName eq "Max" or displayName eq "Kim" and active eq false', ['Max']],
    ['(displayName eq "Max" or displayName eq "Lou") and active eq false', ['Lou']],
    ['not (displayName eq "Max" or active eq false)', ['Kim', 'Ann']],
    ['displayName EQ "kim" AND active Eq true', ['Kim']],
    ['DISPLAYNAME eq "Kim"', ['Kim']],
    ['title pr', ['Kim', 'Max']],
    ['name pr', ['Kim', 'Lou', 'Ann']],
    ['roles pr', []],
    ['emails.type eq "home"', ['Kim', 'Lou']],
    ['emails.type ne "home"', ['Kim', 'Max', 'Ann']],
    ['emails co "anna@"', ['Lou']],
    ['emails[type eq "home" and value co "x.test"]', []],
    ['emails[type eq "work" and value co "X.test"]', ['Kim']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:displayName eq "Kim"', ['Kim']],
    [`${department} eq "ops"`, ['Kim']],
    [`${department.toUpperCase()} eq "dev"`, ['Ann']],
    ['meta.created gt "2026-09-21T14:13:22Z"', ['Max', 'Ann']],
    ['meta.created le "2026-09-21T16:13:22+02:00"', ['Kim', 'Lou']],
    ['meta.lastModified ge "2026-09-21T14:13:24.000Z"', ['Ann']],
    ['schemas eq "urn:ietf:params:scim:schemas:extension:ENTERPRISE:2.0:User"', ['Kim', 'Ann']],
    ['active eq true', ['Kim', 'Max', 'Ann']],
    ['userName eq null', []],
    ['title eq null', ['Lou', 'Ann']],
    [`userName eq "x' OR '1'='1"`, ['Max']],
    ['userName eq "\\"; DROP TABLE users;--"', []],
    ['title co "%"', ['Max']],
    ['title co "_"', ['Max']],
    ['title sw "*"', []],
    ['title co "\\\\"', ['Max']],
    ['userName co "%"', []],
    ['userName eq "(a+)+$"', []],
    ['emails[type eq "work" and value co "@"]', ['Kim']],
    ['id pr', ['Kim', 'Lou', 'Max', 'Ann']],
    ['meta pr and meta.created pr', ['Kim', 'Lou', 'Max', 'Ann']],
    ['meta.resourceType eq "User"', ['Kim', 'Lou', 'Max', 'Ann']],
    ['meta.resourceType eq "user"', []],
    ['meta.resourceType eq "Group" or displayName eq "Kim"', ['Kim']],
    ['meta.location ne "https://elsewhere.test/" and displayName eq "Kim"', ['Kim']],
  ])('evaluates %s', async (title, names) => {
    const users = await startUsers()

    const reply = await users.list('/Users', { filter: title })

    expect(reply).toMatchObject({ status: 200, body: { totalResults: names.length, itemsPerPage: names.length } })
    expect(namesOf(reply)).toEqual(names)
  })

  test('finds one user by id and by meta.location', async () => {
    const users = await startUsers()
    const id = users.ids['Lou'] ?? ''

    for (const filter of [`id eq "${id}"`, `meta.location eq "${base}/Users/${id}"`]) {
      expect(namesOf(await users.list('/Users', { filter })), filter).toEqual(['Lou'])
    }
  })

  test('the id of a user of another provider matches nothing (RFC 7644 §6)', async () => {
    const users = await startUsers()

    const reply = await users.list('/Users', { filter: `id eq "${users.stranger}"` })

    expect(reply).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } })
  })

  test.each(['id eq "ID" and manager eq "boss"', 'manager eq "boss" and id eq "ID"'])(
    'evaluates %s, with which Entra checks the manager of a user',
    async (template) => {
      const users = await startUsers('entra')
      const ask = (id: string | undefined) =>
        users.list('/Users', { filter: template.replace('ID', id ?? ''), attributes: 'id' })

      const kim = await ask(users.ids['Kim'])
      const lou = await ask(users.ids['Lou'])

      expect(kim).toMatchObject({ status: 200, body: { totalResults: 1 } })
      expect(resourcesOf(kim)).toEqual([{ schemas: [userSchema.id, enterpriseUserSchema.id], id: users.ids['Kim'] }])
      expect(lou).toMatchObject({ status: 200, body: { totalResults: 0 } })
      expect(users.events.at(-1)).toMatchObject({ type: 'tolerance.applied', providerId: 'T1' })
    },
  )

  test.each<[string, ExpectedRefusal]>([
    ['users;drop eq "x"', invalidFilter('filter_syntax')],
    ['user name eq "x"', invalidFilter('filter_syntax')],
    ['1abc eq 1', invalidFilter('filter_syntax')],
    ['email co "x"', invalidFilter('filter_attribute_unknown')],
    ['password eq "x"', invalidFilter('filter_attribute_unknown')],
    ['password pr', invalidFilter('filter_attribute_unknown')],
    ['__proto__ eq "x"', invalidFilter('filter_syntax')],
    ['constructor.name eq "Object"', invalidFilter('filter_attribute_unknown')],
    ['meta.__proto__ pr', invalidFilter('filter_syntax')],
    ['active gt true', invalidFilter('filter_operator')],
    ['active co "t"', invalidFilter('filter_operator')],
    ['userName eq 5', invalidFilter('filter_value_type')],
    ['userName eq true', invalidFilter('filter_value_type')],
    ['userName eq {}', invalidFilter('filter_value_malformed')],
    [`${'not('.repeat(21)}title pr${')'.repeat(21)}`, invalidFilter('filter_too_deep')],
    [`title eq "${'a'.repeat(16_384)}"`, invalidFilter('filter_too_long')],
    ['emails[a[b eq 1]]', invalidFilter('filter_syntax')],
    ['userName eq "\\u0000"', invalidFilter('filter_value_malformed')],
    ['userName eq "\\ud800"', invalidFilter('filter_value_malformed')],
    ['userName eq "\\q"', invalidFilter('filter_value_malformed')],
    [`userName eq "${'a'.repeat(1025)}"`, invalidFilter('filter_value_too_long')],
    ['userName has "x"', invalidFilter('filter_syntax')],
    ['meta.version eq "W/\\"1\\""', invalidFilter('filter_attribute_unsearchable')],
    ['groups.display eq "Ops"', invalidFilter('filter_attribute_unsearchable')],
    ['groups[value eq "g" and type eq "direct"]', invalidFilter('filter_attribute_unsearchable')],
    ['groups.$ref eq "x"', invalidFilter('filter_attribute_unsearchable')],
    [
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.$ref pr',
      invalidFilter('filter_attribute_unsearchable'),
    ],
    [
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.displayName eq "x"',
      invalidFilter('filter_attribute_unsearchable'),
    ],
    ['meta.location gt "a"', invalidFilter('filter_attribute_unsearchable')],
    ['meta.location co "/Users/"', invalidFilter('filter_attribute_unsearchable')],
    [
      'meta.location eq "/T2/" and meta.version pr and meta.version eq "x"',
      invalidFilter('filter_attribute_unsearchable'),
    ],
  ])('refuses %s instead of responding with an empty list', async (title, refused) => {
    const users = await startUsers()
    const filter = title

    await expectRefusal(users, () => users.list('/Users', { filter }), refused)
  })

  test('refuses an empty filter instead of responding with an empty list', async () => {
    const users = await startUsers()

    await expectRefusal(users, () => users.list('/Users', { filter: '' }), invalidFilter('filter_empty'))
  })

  test('refuses a request with two filters', async () => {
    const users = await startUsers()

    await expectRefusal(
      users,
      () => users.send({ path: '/Users?filter=title%20pr&Filter=title%20pr' }),
      invalidFilter('filter_repeated'),
    )
  })

  test('refuses 100,000 parentheses by length, without parsing them (RFC 7644 §3.12)', async () => {
    const users = await startUsers()

    await expectRefusal(
      users,
      () => users.list('/Users', { filter: '('.repeat(100_000) }),
      invalidFilter('filter_too_long'),
    )
  })

  test('no event contains the filter', async () => {
    const users = await startUsers()
    await users.list('/Users', { filter: 'email eq "kim@secret.test"' })

    expect(JSON.stringify(users.events)).not.toContain('secret')
  })
})

describe('order', () => {
  test.each<[Record<string, string>, readonly string[]]>([
    [{ sortBy: 'displayName' }, ['Ann', 'Kim', 'Lou', 'Max']],
    [{ sortBy: 'displayName', sortOrder: 'descending' }, ['Max', 'Lou', 'Kim', 'Ann']],
    [{ sortBy: 'DISPLAYNAME', sortOrder: 'Ascending' }, ['Ann', 'Kim', 'Lou', 'Max']],
    [{ sortBy: 'title' }, ['Max', 'Kim', 'Lou', 'Ann']],
    [{ sortBy: 'title', sortOrder: 'descending' }, ['Ann', 'Lou', 'Kim', 'Max']],
    [{ sortBy: 'externalId' }, ['Lou', 'Kim', 'Max', 'Ann']],
    [{ sortBy: 'emails' }, ['Lou', 'Kim', 'Max', 'Ann']],
    [{ sortBy: 'emails.type' }, ['Lou', 'Kim', 'Max', 'Ann']],
    [{ sortBy: 'name.familyName' }, ['Lou', 'Kim', 'Max', 'Ann']],
    [{ sortBy: department }, ['Ann', 'Kim', 'Lou', 'Max']],
    [{ sortBy: 'active' }, ['Lou', 'Kim', 'Max', 'Ann']],
    [{ sortBy: 'meta.created', sortOrder: 'descending' }, ['Ann', 'Max', 'Lou', 'Kim']],
    [{ sortOrder: 'descending' }, ['Kim', 'Lou', 'Max', 'Ann']],
    [{ sortBy: 'displayName', filter: 'active eq true', startIndex: '2', count: '2' }, ['Kim', 'Max']],
  ])('sorts by %j (RFC 7644 §3.4.2.3)', async (parameters, names) => {
    const users = await startUsers()

    const reply = await users.list('/Users', parameters)

    expect(reply.status).toBe(200)
    expect(namesOf(reply)).toEqual(names)
  })

  test('sorts by an attribute of an extension that is called groups (RFC 7644 §3.4.2.3)', async () => {
    const team = defineSchema({ id: 'urn:example:team:2.0:User', name: 'Team', attributes: [{ name: 'groups' }] })
    const userType = defineResourceType({ ...userResourceType, extensions: [team] })
    const scim = await startScim({ userType })
    for (const [displayName, groups] of Object.entries({ Kim: 'b', Lou: 'a' })) {
      const body = { schemas: [userSchema.id], userName: displayName, displayName, [team.id]: { groups } }
      expect((await scim.send({ method: 'POST', path: '/Users', body })).status).toBe(201)
    }

    expect(namesOf(await scim.send({ path: `/Users?sortBy=${team.id}:groups` }))).toEqual(['Lou', 'Kim'])
  })

  test.each<[Record<string, string>, ExpectedRefusal['reason']]>([
    [{ sortBy: 'unknown' }, 'sort_attribute'],
    [{ sortBy: '__proto__' }, 'sort_attribute'],
    [{ sortBy: 'password' }, 'sort_attribute'],
    [{ sortBy: 'name' }, 'sort_attribute'],
    [{ sortBy: 'addresses' }, 'sort_attribute'],
    [{ sortBy: 'groups' }, 'sort_attribute'],
    [{ sortBy: 'groups.value' }, 'sort_attribute'],
    [{ sortBy: 'meta.version' }, 'sort_attribute'],
    [{ sortBy: 'displayName', sortOrder: 'sideways' }, 'sort_order'],
  ])('refuses to sort by %j (RFC 7644 §3.4.2.3)', async (parameters, reason) => {
    const users = await startUsers()

    await expectRefusal(users, () => users.list('/Users', parameters), {
      status: 400,
      scimType: 'invalidValue',
      reason,
    })
  })
})

describe('pages', () => {
  test.each<[Record<string, string>, number, readonly string[]]>([
    [{ startIndex: '2', count: '2' }, 2, ['Lou', 'Max']],
    [{ startIndex: '4', count: '2' }, 4, ['Ann']],
    [{ startIndex: '5' }, 5, []],
    [{ startIndex: '0' }, 1, ['Kim', 'Lou', 'Max', 'Ann']],
    [{ startIndex: '-5', count: '1' }, 1, ['Kim']],
    [{ count: '0' }, 1, []],
    [{ count: '-1' }, 1, []],
    [{ startIndex: '1' }, 1, ['Kim', 'Lou', 'Max', 'Ann']],
    [{ count: '2147483648' }, 1, ['Kim', 'Lou', 'Max', 'Ann']],
    [{ count: '9'.repeat(400) }, 1, ['Kim', 'Lou', 'Max', 'Ann']],
    [{ startIndex: '99999999999999999999' }, 2_147_483_647, []],
  ])('returns the page of %j (RFC 7644 §3.4.2.4)', async (parameters, startIndex, names) => {
    const users = await startUsers()

    const reply = await users.list('/Users', parameters)

    expect(reply).toMatchObject({ status: 200, body: { totalResults: 4, startIndex, itemsPerPage: names.length } })
    expect(namesOf(reply)).toEqual(names)
  })

  test.each(['abc', '1.5', 'NaN', 'Infinity', '0x10', ' 1', '1_0', '1;2', '1e3', '1E3', '9e15'])(
    'refuses %j as startIndex and as count (RFC 7644 §3.4.2.4)',
    async (text) => {
      const users = await startUsers()

      for (const name of ['startIndex', 'count']) {
        await expectRefusal(users, () => users.list('/Users', { [name]: text }), {
          status: 400,
          scimType: 'invalidValue',
          reason: 'page_malformed',
        })
      }
    },
  )

  test('a page has 100 resources by default and never more than 200', async () => {
    const directory = await startDirectory(250)

    for (const [query, size] of [
      ['', 100],
      ['?count=1000', 200],
      ['?startIndex=201&count=100', 50],
    ] as const) {
      expect(await directory.send({ path: `/Users${query}` })).toMatchObject({
        body: { totalResults: 250, itemsPerPage: size },
      })
    }
  })

  test('the concatenated pages of an import are the whole directory', async () => {
    const directory = await startDirectory(25)
    const seen: string[] = []

    for (let startIndex = 1; startIndex <= 25; startIndex += 10) {
      const reply = await directory.send({ path: `/Users?startIndex=${startIndex}&count=10` })
      expect(reply.body).toMatchObject({ totalResults: 25, startIndex })
      seen.push(...idsOf(reply))
    }

    expect(seen.toSorted()).toEqual(directory.users.toSorted())
  })
})

describe('which attributes are shown', () => {
  test.each<[Record<string, string>, readonly string[]]>([
    [{ attributes: 'displayName' }, ['schemas', 'id', 'displayName']],
    [{ attributes: 'NAME.givenname' }, ['schemas', 'id', 'name']],
    [{ attributes: department }, ['schemas', 'id', enterpriseUserSchema.id]],
    [{ attributes: 'userName,emails.value' }, ['schemas', 'id', 'userName', 'emails']],
    [{ attributes: 'emails[type eq "work"]' }, ['schemas', 'id', 'emails']],
    [{ attributes: 'password,groups' }, ['schemas', 'id']],
    [{ attributes: '__proto__,constructor' }, ['schemas', 'id']],
    [
      { excludedAttributes: `meta,userName,active,id,schemas,emails,${enterpriseUserSchema.id}` },
      ['schemas', 'id', 'externalId', 'name', 'displayName', 'title'],
    ],
  ])('shows the attributes of %j (RFC 7644 §3.9)', async (parameters, names) => {
    const users = await startUsers()

    const listed = await users.list('/Users', { ...parameters, filter: 'displayName eq "Kim"' })
    const read = await users.list(`/Users/${users.ids['Kim']}`, parameters)

    expect(Object.keys(resourcesOf(listed)[0] ?? {})).toEqual(names)
    expect(read.body).toEqual(resourcesOf(listed)[0])
  })

  test('refuses attributes together with excludedAttributes, and 10,000 names', async () => {
    const users = await startUsers()
    const refused = (reason: ExpectedRefusal['reason']): ExpectedRefusal => ({
      status: 400,
      scimType: 'invalidSyntax',
      reason,
    })

    await expectRefusal(
      users,
      () => users.list('/Users', { attributes: 'id', excludedAttributes: 'name' }),
      refused('projection_both'),
    )
    await expectRefusal(
      users,
      () => users.list('/Users', { attributes: 'name,'.repeat(10_000) }),
      refused('projection_too_many'),
    )
  })
})

describe('groups', () => {
  test('reads no members when they are not shown, and otherwise the members of a page in one read', async () => {
    const directory = await startDirectory(3)
    const ids = await Promise.all([
      directory.createGroup(aGroup(directory.users)),
      directory.createGroup(aGroup(directory.users.slice(1))),
      directory.createGroup(aGroup()),
    ])
    directory.forgetCalls()

    const without = await directory.send({
      path: '/Groups?excludedAttributes=members&filter=displayName%20eq%20%22ops%22',
    })
    const only = await directory.send({ path: '/Groups?attributes=displayName' })
    const callsWithout = directory.calls.membersOf
    const whole = await directory.send({ path: '/Groups' })

    expect(callsWithout).toBe(0)
    expect(directory.calls.membersOf).toBe(1)
    expect(idsOf(without).toSorted()).toEqual(ids.toSorted())
    expect([...resourcesOf(without), ...resourcesOf(only)].filter((group) => 'members' in group)).toEqual([])
    const sizes = new Map(
      resourcesOf(whole).map(({ id, members }) => [id, Array.isArray(members) ? members.length : 0]),
    )
    expect(ids.map((id) => sizes.get(id))).toEqual([3, 2, 0])
  })

  test('a listed group equals the group at its location', async () => {
    const directory = await startDirectory(2)
    const id = await directory.createGroup(aGroup(directory.users))

    const listed = await directory.send({ path: `/Groups?filter=${encodeURIComponent(`id eq "${id}"`)}` })

    expect(resourcesOf(listed)).toEqual([(await directory.send({ path: `/Groups/${id}` })).body])
  })

  test.each<[string, readonly string[]]>([
    ['members eq "P0"', ['Ops']],
    ['members.value eq "P1"', ['Ops', 'Dev']],
    ['members[value eq "P1" and type eq "User"]', ['Ops', 'Dev']],
    ['members.type eq "Group"', ['All']],
    ['members pr', ['Ops', 'Dev', 'All']],
    ['not (members pr)', ['None']],
    ['members ne "P0"', ['Ops', 'Dev', 'All', 'None']],
    ['displayName sw "d"', ['Dev']],
    ['meta.resourceType eq "User"', []],
  ])('evaluates %s', async (title, names) => {
    const directory = await startDirectory(2)
    const [one = '', two = ''] = directory.users
    const createNamedGroup = async (displayName: string, members: readonly string[]) => (
      directory.clock.advance(1),
      directory.createGroup({ ...aGroup(members), displayName })
    )
    const ops = await createNamedGroup('Ops', [one, two])
    await createNamedGroup('Dev', [two])
    await createNamedGroup('All', [ops])
    await createNamedGroup('None', [])
    const filter = title.replace(/P[01]/, (user) => (user === 'P0' ? one : two))

    const reply = await directory.send({ path: `/Groups?filter=${encodeURIComponent(filter)}` })

    expect(reply.status).toBe(200)
    expect(namesOf(reply)).toEqual(names)
  })

  test('finds users by the id of a group', async () => {
    const directory = await startDirectory(3)
    const [one = '', two = ''] = directory.users
    const ops = await directory.createGroup(aGroup([one, two]))

    for (const filter of [`groups eq "${ops}"`, `groups.value eq "${ops}"`, `groups[value eq "${ops}"]`, 'groups pr']) {
      const reply = await directory.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })
      expect(idsOf(reply).toSorted(), filter).toEqual([one, two].toSorted())
    }
    const without = await directory.send({ path: `/Users?filter=${encodeURIComponent('groups eq null')}` })
    expect(idsOf(without)).toEqual([directory.users[2]])
  })

  test.each([
    ['members.display eq "x"', 'filter_attribute_unknown'],
    ['members.$ref pr', 'filter_attribute_unsearchable'],
    ['members[display eq "x"]', 'filter_attribute_unknown'],
    ['meta.version pr and meta.version ne "x"', 'filter_attribute_unsearchable'],
  ] as const)('refuses the filter %s', async (filter, reason) => {
    const directory = await startDirectory(1)

    await expectRefusal(
      directory,
      () => directory.send({ path: `/Groups?filter=${encodeURIComponent(filter)}` }),
      invalidFilter(reason),
    )
  })

  test('refuses to sort by members', async () => {
    const directory = await startDirectory(1)

    await expectRefusal(directory, () => directory.send({ path: '/Groups?sortBy=members' }), {
      status: 400,
      scimType: 'invalidValue',
      reason: 'sort_attribute',
    })
  })
})

describe('one resource', () => {
  test.each([
    '0b8f4f1e-0000-4000-8000-000000000000',
    '..%2f',
    '%00',
    'a'.repeat(10_240),
    '__proto__',
    'me',
    '%zz',
    'x/y',
  ])('/Users/%s is 404', async (segment) => {
    const users = await startUsers()

    const before = users.dump()
    const reply = await users.send({ path: `/Users/${segment}` })

    expect(reply).toMatchObject({
      status: 404,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
    })
    expect(['resource_not_found', 'path_not_found']).toContain(users.lastReason())
    expect(users.dump()).toBe(before)
  })

  test('responds with 304 to the current version in If-None-Match, and with a new version after a change (RFC 7644 §3.14)', async () => {
    const users = await startUsers()
    const path = `/Users/${users.ids['Kim']}`
    const known = (await users.send({ path })).headers.get('etag') ?? ''

    const again = await users.send({ path, headers: { 'if-none-match': `"other", ${known}` } })
    await users.send({
      method: 'PATCH',
      path,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'title', value: 'x' }],
      },
    })
    const changed = await users.send({ path, headers: { 'if-none-match': known } })

    expect(again).toMatchObject({ status: 304, body: undefined })
    expect(again.headers.get('etag')).toBe(known)
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(known)
    expect(changed.body).toMatchObject({ meta: { version: changed.headers.get('etag') } })
  })

  test('joining a group changes the version of the user, because groups are part of the resource', async () => {
    const directory = await startDirectory(1)
    const path = `/Users/${directory.users[0]}`
    const known = (await directory.send({ path })).headers.get('etag') ?? ''

    await directory.createGroup(aGroup(directory.users))

    expect(await directory.send({ path, headers: { 'if-none-match': known } })).toMatchObject({
      status: 200,
      body: { groups: [{ display: 'Ops' }] },
    })
  })
})

test('a filter that a store refuses to evaluate is 400 (RFC 7644 §3.12 tooMany)', async () => {
  const directory = await startDirectory(1)
  const { provisionedUsers } = directory.storage
  Object.assign(provisionedUsers, { list: async () => ({ outcome: 'tooMany' }) })

  await expectRefusal(directory, () => directory.send({ path: '/Users?filter=userName%20co%20%22a%22' }), {
    status: 400,
    scimType: 'tooMany',
    reason: 'too_many_matches',
  })
})

test('an order that a store refuses to compute is 400, and the error names the sort and not a filter (RFC 7644 §3.12 tooMany)', async () => {
  const directory = await startDirectory(1)
  const { provisionedUsers } = directory.storage
  Object.assign(provisionedUsers, { list: async () => ({ outcome: 'tooMany' }) })

  await expectRefusal(directory, () => directory.send({ path: '/Users?sortBy=title' }), {
    status: 400,
    scimType: 'tooMany',
    reason: 'sort_too_many',
  })
})

test('reads storage once for a page of users, by index and by cursor', async () => {
  const directory = await startDirectory(3)
  const { provisionedUsers } = directory.storage
  const uncounted = { ...provisionedUsers }
  let reads = 0
  Object.assign(provisionedUsers, { list: (query: ListQuery) => ((reads += 1), uncounted.list(query)) })

  for (const query of ['', '?cursor&count=2', '?sortBy=userName&filter=userName%20pr'])
    await directory.send({ path: `/Users${query}` })

  expect(reads).toBe(3)
})

test('a filter that cannot match does not read storage', async () => {
  const directory = await startDirectory(1)
  Object.assign(directory.storage.provisionedUsers, {
    list: async () => Promise.reject(new Error('Storage was read.')),
  })

  const reply = await directory.send({ path: `/Users?filter=${encodeURIComponent('meta.location eq "/T2/"')}` })

  expect(reply).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } })
})

test('finds a linked user by a location in which the id is percent-encoded', async () => {
  const storage = createMemoryStorage({ issuer })
  const id = userId('auth0|kim@x')
  await storage.users.insert({ userId: id, claims: {}, createdAt: epochSeconds(1_700_000_000) })
  const scim = await startScim({ storage, link: async () => id })
  await scim.send({ method: 'POST', path: '/Users', body: { schemas: [userSchema.id], userName: 'kim@x' } })
  const find = (filter: string) => scim.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })

  const [listed] = resourcesOf(await find('userName eq "kim@x"'))

  expect(listed).toMatchObject({ id, meta: { location: `${base}/Users/auth0%7Ckim%40x` } })
  for (const filter of [`meta.location eq "${base}/Users/auth0%7Ckim%40x"`]) {
    expect(resourcesOf(await find(filter)), filter).toEqual([listed])
  }
  expect(resourcesOf(await find(`meta.location eq "${base}/Users/${id}"`))).toEqual([])
})

test('a query with a malformed escape is refused (RFC 3986 §2.1)', async () => {
  const scim = await startScim()

  expect(await scim.send({ path: '/Users?filter=%zz' })).toMatchObject({
    status: 400,
    body: { scimType: 'invalidSyntax' },
  })
  expect(scim.lastReason()).toBe('query_malformed')
})

test('refuses to sort by a sub-attribute that is never returned (RFC 7643 §2.2)', async () => {
  const badge = defineSchema({
    id: 'urn:example:params:scim:schemas:extension:badge:2.0:User',
    name: 'Badge',
    attributes: [
      { name: 'door', type: 'complex', subAttributes: [{ name: 'label' }, { name: 'code', returned: 'never' }] },
    ],
  })
  const userType = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [badge] })
  const scim = await startScim({ userType })

  expect(await scim.send({ path: `/Users?sortBy=${badge.id}:door.label` })).toMatchObject({ status: 200 })
  expect(await scim.send({ path: `/Users?sortBy=${badge.id}:door.code` })).toMatchObject({ status: 400 })
})
