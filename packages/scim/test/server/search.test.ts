import { describe, expect, test } from 'vitest'

import { enterpriseUserSchema, userSchema } from '../../src/engine.ts'
import {
  aGroup,
  expectRefusal,
  groupSchema,
  startDirectory,
  type Directory,
  type ExpectedRefusal,
} from '../fixtures/directory-under-test.ts'
import { namesOf, resourcesOf, startUsers, type UserDirectory } from '../fixtures/users-under-test.ts'

const searchRequest = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
const search = (directory: Directory, path: string, members: object, sent: object = {}) =>
  directory.send({ method: 'POST', path, body: { schemas: [searchRequest], ...members }, ...sent })

describe('a search below /Users or /Groups', () => {
  test('responds with 200 and the same result as the query (RFC 7644 §3.4.3)', async () => {
    const users = await startUsers()

    const reply = await search(users, '/Users/.search', {
      filter: 'emails.type eq "home"',
      sortBy: 'displayName',
      sortOrder: 'descending',
      startIndex: 1,
      count: 1,
      attributes: ['displayName', 'emails.value'],
    })

    const query = {
      filter: 'emails.type eq "home"',
      sortBy: 'displayName',
      sortOrder: 'descending',
      startIndex: '1',
      count: '1',
      attributes: 'displayName,emails.value',
    }
    expect(reply.status).toBe(200)
    expect(reply).toEqual(await users.list('/Users', query))
    expect(namesOf(reply)).toEqual(['Lou'])
    expect(reply.body).toMatchObject({ totalResults: 2, itemsPerPage: 1 })
  })

  test('finds all resources without a filter, ignores nulls and unknown members, and accepts names in any case (RFC 7644 §3.4.3)', async () => {
    const users = await startUsers()

    const all = await search(users, '/users/.search', {})
    const nulls = await search(users, '/Users/.search', {
      filter: null,
      sortBy: null,
      count: null,
      attributes: null,
      cursor: null,
      domain: 'x',
    })
    const capital = await users.send({
      method: 'POST',
      path: '/Users/.search',
      body: { SCHEMAS: [searchRequest.toUpperCase()], Filter: 'title pr', COUNT: 1 },
    })

    expect(namesOf(all)).toEqual(['Kim', 'Lou', 'Max', 'Ann'])
    expect(nulls).toEqual(all)
    expect(capital.body).toMatchObject({ totalResults: 2, itemsPerPage: 1 })
  })

  test('finds groups without their members', async () => {
    const directory = await startDirectory(2)
    const id = await directory.createGroup(aGroup(directory.users))
    directory.forgetCalls()

    const reply = await search(directory, '/Groups/.search', {
      filter: 'displayName eq "Ops"',
      excludedAttributes: ['members', 'meta'],
    })

    expect(resourcesOf(reply)).toEqual([{ schemas: [groupSchema], id, displayName: 'Ops' }])
    expect(directory.calls.membersOf).toBe(0)
  })

  test('accepts a request without schemas if the profile tolerates it', async () => {
    const users = await startUsers('oneLogin')

    expect(await users.send({ method: 'POST', path: '/Users/.search', body: { count: 0 } })).toMatchObject({
      status: 200,
      body: { totalResults: 4 },
    })
  })

  const invalidSyntax = (reason: ExpectedRefusal['reason']): ExpectedRefusal => ({
    status: 400,
    scimType: 'invalidSyntax',
    reason,
  })
  test.each<[string, unknown, ExpectedRefusal]>([
    ['an array as its body', [], invalidSyntax('body_malformed')],
    ['null as its body', 'null', invalidSyntax('body_malformed')],
    ['an incomplete object as its body', '{', invalidSyntax('body_malformed')],
    ['no schemas', { count: 1 }, invalidSyntax('schemas_missing')],
    [
      'the schema of another kind of message',
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] },
      invalidSyntax('schemas_missing'),
    ],
    [
      'a filter that is not a string',
      { schemas: [searchRequest], filter: { eq: 1 } },
      invalidSyntax('search_malformed'),
    ],
    ['attributes as a string', { schemas: [searchRequest], attributes: 'userName' }, invalidSyntax('search_malformed')],
    [
      'attributes that are not strings',
      { schemas: [searchRequest], attributes: [1] },
      invalidSyntax('search_malformed'),
    ],
    [
      'one member twice, in different case',
      { schemas: [searchRequest], filter: 'title pr', FILTER: 'title pr' },
      invalidSyntax('member_repeated'),
    ],
    [
      'both attributes and excludedAttributes',
      { schemas: [searchRequest], attributes: ['id'], excludedAttributes: ['id'] },
      invalidSyntax('projection_both'),
    ],
    [
      'an empty filter',
      { schemas: [searchRequest], filter: '' },
      { status: 400, scimType: 'invalidFilter', reason: 'filter_empty' },
    ],
    [
      'an unknown attribute in the filter',
      { schemas: [searchRequest], filter: 'email pr' },
      { status: 400, scimType: 'invalidFilter', reason: 'filter_attribute_unknown' },
    ],
    [
      'a count that is a string',
      { schemas: [searchRequest], count: '10' },
      { status: 400, scimType: 'invalidValue', reason: 'page_malformed' },
    ],
    [
      'a count of 1.5',
      { schemas: [searchRequest], count: 1.5 },
      { status: 400, scimType: 'invalidValue', reason: 'page_malformed' },
    ],
    [
      'an unknown attribute in sortBy',
      { schemas: [searchRequest], sortBy: 'x' },
      { status: 400, scimType: 'invalidValue', reason: 'sort_attribute' },
    ],
  ])('refuses a request with %s (RFC 7644 §3.4.3)', async (_, body, refused) => {
    const users = await startUsers('strict')

    for (const path of ['/Users/.search', '/Groups/.search', '/.search']) {
      await expectRefusal(users, () => users.send({ method: 'POST', path, body }), refused)
    }
  })

  test('requires authentication, the method POST and a JSON body', async () => {
    const users = await startUsers()

    for (const path of ['/Users/.search', '/Groups/.search', '/.search']) {
      await expectRefusal(users, () => search(users, path, {}, { authorization: undefined }), {
        status: 401,
        reason: 'credentials_missing',
      })
      await expectRefusal(users, () => users.send({ path }), { status: 405, reason: 'method_not_allowed' })
      await expectRefusal(users, () => search(users, path, {}, { headers: { 'content-type': 'text/plain' } }), {
        status: 415,
        reason: 'media_type',
      })
    }
  })
})

describe('a search over both types', () => {
  async function startWithGroups(): Promise<UserDirectory> {
    const users = await startUsers()
    await users.createGroup({ ...aGroup([users.ids['Kim'] ?? '']), displayName: 'Kim' })
    users.clock.advance(1)
    await users.createGroup({ ...aGroup(), displayName: 'Ops', externalId: 'ab' })
    return users
  }
  const typesOf = (reply: Parameters<typeof resourcesOf>[0]) =>
    resourcesOf(reply).map(
      ({ meta }, index) => `${(meta as { resourceType: string }).resourceType} ${namesOf(reply)[index]}`,
    )

  test.each<[string | undefined, readonly string[]]>([
    [undefined, ['User Kim', 'User Lou', 'User Max', 'User Ann', 'Group Kim', 'Group Ops']],
    ['displayName eq "kim"', ['User Kim', 'Group Kim']],
    ['externalId eq "ab"', ['User Kim', 'Group Ops']],
    ['userName pr', ['User Kim', 'User Lou', 'User Max', 'User Ann']],
    ['userName sw "k" or members pr', ['User Kim', 'Group Kim']],
    ['not (userName pr)', ['Group Kim', 'Group Ops']],
    ['title eq null', ['User Lou', 'User Ann', 'Group Kim', 'Group Ops']],
    ['title ne "doctor"', ['User Lou', 'User Max', 'User Ann', 'Group Kim', 'Group Ops']],
    ['members ne "x"', ['User Kim', 'User Lou', 'User Max', 'User Ann', 'Group Kim', 'Group Ops']],
    ['emails[type eq "work"]', ['User Kim']],
    [`${enterpriseUserSchema.id}:department pr`, ['User Kim', 'User Ann']],
    [`${userSchema.id}:displayName eq "Kim"`, ['User Kim']],
    [`${groupSchema}:displayName eq "Kim"`, ['Group Kim']],
    ['meta.resourceType eq "Group"', ['Group Kim', 'Group Ops']],
  ])('an attribute that a type does not define has no value: %s (RFC 7644 §3.4.2.1)', async (filter, names) => {
    const users = await startWithGroups()

    const reply = await search(users, '/.search', { filter })

    expect(reply).toMatchObject({
      status: 200,
      body: { totalResults: names.length, itemsPerPage: names.length, startIndex: 1 },
    })
    expect(typesOf(reply)).toEqual(names)
  })

  test('pages continue from one type to the next (RFC 7644 §3.4.2.4)', async () => {
    const users = await startWithGroups()
    const page = async (startIndex: number, count: number) =>
      typesOf(await search(users, '/.search', { startIndex, count }))

    expect(await page(1, 3)).toEqual(['User Kim', 'User Lou', 'User Max'])
    expect(await page(4, 2)).toEqual(['User Ann', 'Group Kim'])
    expect(await page(5, 9)).toEqual(['Group Kim', 'Group Ops'])
    expect(await page(6, 9)).toEqual(['Group Ops'])
    expect(await page(7, 9)).toEqual([])
    expect(await search(users, '/.search', { count: 0 })).toMatchObject({ body: { totalResults: 6, Resources: [] } })
  })

  test.each([1, 2, 3, 4, 5, 6, 7])(
    'paging by cursor, %i at a time, lists each resource once (RFC 9865 §2)',
    async (count) => {
      const users = await startWithGroups()
      const seen: string[] = []
      let cursor: unknown = ''
      let pages = 0

      while (cursor !== undefined && pages < 20) {
        const reply = await search(users, '/.search', { cursor, count })
        expect(reply).toMatchObject({ status: 200, body: { totalResults: 6 } })
        seen.push(...typesOf(reply))
        cursor = reply.body?.['nextCursor']
        pages += 1
      }

      expect(seen).toEqual(['User Kim', 'User Lou', 'User Max', 'User Ann', 'Group Kim', 'Group Ops'])
      expect(pages).toBeLessThanOrEqual(Math.ceil(6 / count) + 1)
    },
  )

  test('attributes apply to each type', async () => {
    const users = await startWithGroups()

    const reply = await search(users, '/.search', {
      filter: 'displayName eq "Kim"',
      attributes: ['userName', 'members.value'],
    })

    expect(resourcesOf(reply).map((resource) => Object.keys(resource))).toEqual([
      ['schemas', 'id', 'userName'],
      ['schemas', 'id', 'members'],
    ])
  })

  test('sorts the resources of each type, one type after the other (RFC 7644 §3.4.2.3)', async () => {
    const users = await startWithGroups()

    expect(typesOf(await search(users, '/.search', { sortBy: 'displayName' }))).toEqual([
      'User Ann',
      'User Kim',
      'User Lou',
      'User Max',
      'Group Kim',
      'Group Ops',
    ])
    expect(
      typesOf(
        await search(users, '/.search', {
          sortBy: 'displayName',
          sortOrder: 'descending',
          filter: 'meta.resourceType eq "Group"',
        }),
      ),
    ).toEqual(['Group Ops', 'Group Kim'])
    expect(
      typesOf(await search(users, '/.search', { sortBy: 'userName', filter: 'meta.resourceType eq "Group"' })),
    ).toEqual(['Group Kim', 'Group Ops'])
  })

  test('does not sort the resources of a type that has no such attribute (RFC 7644 §3.4.2.3)', async () => {
    const users = await startWithGroups()
    const { groups } = users.storage
    const sorts: unknown[] = []
    const list: typeof groups.list = async (query) => {
      sorts.push(query.sort)
      return groups.list(query)
    }
    const { send } = users.startAnother({ storage: { ...users.storage, groups: { ...groups, list } } })

    expect(await search({ ...users, send }, '/.search', { sortBy: 'userName' })).toMatchObject({ status: 200 })
    expect(sorts).toEqual([undefined])
  })

  test('another provider finds only its own resources (RFC 7644 §6)', async () => {
    const users = await startWithGroups()

    expect(await search(users, '/.search', {}, { provider: 'T2' })).toMatchObject({
      status: 200,
      body: { totalResults: 1, Resources: [{ userName: 'stranger' }] },
    })
  })
})
