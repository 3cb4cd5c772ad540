import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'
import { groupResourceType, userResourceType, type ResourceType } from '../src/index.ts'
import { createParseContext } from '../src/schema/parse-context.ts'
import {
  createToleranceCounter,
  entraTolerances,
  generalTolerances,
  oktaTolerances,
  strictTolerances,
  type Tolerances,
} from '../src/tolerance/tolerances.ts'
import { replaceResource } from '../src/resource/replace-resource.ts'
import { parseResource } from '../src/resource/parse-resource.ts'
import { parseProjection, projectResource } from '../src/resource/resource.ts'
import { parsePatch } from '../src/patch/parse-patch.ts'
import { applyPatch } from '../src/patch/apply-patch.ts'
import { finder } from './fixtures/finder.ts'
import { summarizeRefusal } from './fixtures/refused.ts'

// Requests that identity providers document or have been observed to send, with the tolerances of their profiles. All values are
// invented.

const user = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const kim: JsonObject = {
  schemas: [user],
  id: 'usr_1',
  externalId: '0a1b-guid',
  userName: 'kim@x.test',
  active: true,
  name: { formatted: 'Kim Lee', familyName: 'Lee', givenName: 'Kim' },
  emails: [{ primary: true, type: 'work', value: 'kim@x.test' }],
  meta: { resourceType: 'User', created: '2020-01-01T00:00:00Z' },
}

const ops: JsonObject = {
  schemas: [group],
  id: 'grp_1',
  displayName: 'Ops',
  members: [
    { value: 'u1', type: 'User' },
    { value: 'u2', type: 'User' },
  ],
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function create(tolerances: Tolerances, body: JsonObject, type: ResourceType = userResourceType) {
  return plain(parseResource(body, createParseContext(type, tolerances)).resource)
}

function patch(tolerances: Tolerances, operations: readonly JsonValue[], resource = kim) {
  const context = createParseContext(resource === ops ? groupResourceType : userResourceType, tolerances)
  const result = applyPatch(
    resource,
    parsePatch({ schemas: [message], Operations: operations }, context.tolerances),
    context,
  )
  return plain(result.resource)
}

function finds(tolerances: Tolerances, filter: string, resource: JsonObject = kim): boolean {
  const counter = createToleranceCounter(tolerances)
  const type = resource === ops ? groupResourceType : userResourceType
  return finder(filter, type, counter)(resource)
}

describe('Microsoft Entra ID', () => {
  test.each([
    ['on the userName of a user who does not exist', 'userName eq "d3a7b1d2-nobody"', false],
    ['on externalId', 'externalId eq "0a1b-guid"', true],
    ['on externalId with an unquoted value', 'externalId eq 0a1b-guid', true],
    ['on userName in another case', 'userName eq "KIM@X.TEST"', true],
    ['on id and manager, which means manager.value', 'id eq "usr_1" and manager eq "u9"', false],
    ['on manager and id', 'manager eq "u9" and id eq "usr_1"', false],
    ['on the work address', 'emails[type eq "work"].value eq "KIM@x.test"', true],
    ['on an address of another type', 'emails[type eq "home"].value eq "kim@x.test"', false],
  ])('evaluates a filter %s', (_, filter, found) => {
    expect(finds(entraTolerances, filter)).toBe(found)
  })

  test('finds the users of a manager', () => {
    const report = { ...kim, [enterprise]: { manager: { value: 'u9' } } }

    expect(finds(entraTolerances, 'id eq "usr_1" and manager eq "u9"', report)).toBe(true)
  })

  test('creates a user in the current form', () => {
    const body = {
      schemas: [user, enterprise],
      externalId: '0a1b-guid',
      userName: 'kim@x.test',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'kim@x.test' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Kim Lee', familyName: 'Lee', givenName: 'Kim' },
      roles: [],
    }

    const { meta: _, roles: __, ...expected } = body
    expect(create(entraTolerances, body)).toEqual({ ...expected, schemas: [user] })
  })

  test('creates a user from a request in the older form: nulls, unknown keys, a misspelt URN', () => {
    const body = {
      schemas: [user, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User'],
      userName: 'kim@x.test',
      title: null,
      addresses: null,
      phoneNumbers: null,
      department: 'bob',
      manager: 'u9',
    }

    expect(create(entraTolerances, body)).toEqual({ schemas: [user], userName: 'kim@x.test' })
  })

  test('applies several operations at once', () => {
    expect(
      patch(entraTolerances, [
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'kim2@x.test' },
        { op: 'Replace', path: 'name.familyName', value: 'Li' },
        { op: 'Replace', path: 'active', value: false },
      ]),
    ).toEqual({
      ...kim,
      active: false,
      name: { formatted: 'Kim Lee', familyName: 'Li', givenName: 'Kim' },
      emails: [{ primary: true, type: 'work', value: 'kim2@x.test' }],
    })
  })

  test('creates one address from four sub-attributes of an absent address', () => {
    const parts = { formatted: '1 Road', locality: 'Oslo', region: 'OS', postalCode: '0001' }
    const operations = Object.entries(parts).map(([name, value]) => ({
      op: 'Add',
      path: `addresses[type eq "work"].${name}`,
      value,
    }))

    expect(patch(entraTolerances, operations)).toEqual({ ...kim, addresses: [{ type: 'work', ...parts }] })
  })

  test.each<[string, JsonValue, JsonObject]>([
    [
      'a value filter that matches nothing',
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
      { phoneNumbers: [{ type: 'mobile', value: '+1 555' }] },
    ],
    [
      'a value filter that matches nothing, next to a primary value',
      { op: 'Add', path: 'emails[type eq "other"].value', value: 'o@x' },
      {
        emails: [
          { primary: true, type: 'work', value: 'kim@x.test' },
          { type: 'other', value: 'o@x' },
        ],
      },
    ],
    [
      'a value filter on primary as a boolean',
      { op: 'Replace', path: 'phoneNumbers[primary eq true].value', value: '+1' },
      { phoneNumbers: [{ primary: true, value: '+1' }] },
    ],
    [
      'a value filter on primary as a quoted string',
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' },
      { roles: [{ primary: true, value: 'admin' }] },
    ],
    ['a deactivation in the old form', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    [
      'paths as the keys of its value',
      {
        op: 'replace',
        value: { displayName: 'Kim', 'name.givenName': 'K', [`${enterprise}:employeeNumber`]: '42', active: true },
      },
      {
        displayName: 'Kim',
        name: { formatted: 'Kim Lee', familyName: 'Lee', givenName: 'K' },
        schemas: [user, enterprise],
        [enterprise]: { employeeNumber: '42' },
      },
    ],
    [
      'an attribute of the enterprise extension',
      { op: 'Add', path: `${enterprise}:department`, value: 'Ops' },
      { schemas: [user, enterprise], [enterprise]: { department: 'Ops' } },
    ],
    [
      'the manager in a list',
      { op: 'Add', path: 'manager', value: [{ $ref: null, value: 'usr_9' }] },
      { schemas: [user, enterprise], [enterprise]: { manager: { value: 'usr_9' } } },
    ],
    [
      'the manager in a list, by URN',
      { op: 'Add', path: `${enterprise}:manager`, value: [{ $ref: null, value: 'usr_9' }] },
      { schemas: [user, enterprise], [enterprise]: { manager: { value: 'usr_9' } } },
    ],
    ['add where replace is meant', { op: 'Add', path: 'userName', value: 'x' }, { userName: 'x' }],
    [
      'null, which clears the attribute',
      { op: 'Replace', path: 'externalId', value: null },
      { externalId: undefined as never },
    ],
    ['no op member', { path: 'title', value: 'Boss' }, { title: 'Boss' }],
    ['an empty list to add', { op: 'Add', path: 'emails', value: [] }, {}],
    [
      'a capitalized sub-attribute',
      { op: 'Replace', path: 'emails[type eq "work"].Value', value: 'k@x' },
      { emails: [{ primary: true, type: 'work', value: 'k@x' }] },
    ],
    [
      'a capitalized sub-attribute of an absent value',
      { op: 'Add', path: 'addresses[type eq "other"].Formatted', value: 'Room 1' },
      { addresses: [{ type: 'other', formatted: 'Room 1' }] },
    ],
  ])('applies a PATCH with %s', (_, operation, expected) => {
    expect(patch(entraTolerances, [operation])).toEqual(plain({ ...kim, ...expected }))
  })

  test('clears the manager in four ways', () => {
    const report = { ...kim, schemas: [user, enterprise], [enterprise]: { manager: { value: 'u9' } } }
    const path = `${enterprise}:manager`
    const ways: readonly JsonValue[] = [
      { op: 'Replace', path, value: '' },
      { op: 'Remove', path, value: '' },
      { op: 'Remove', path },
      { op: 'Replace', path, value: { value: '' } },
    ]

    for (const way of ways) expect(patch(entraTolerances, [way], report)).toEqual(kim)
  })

  test('accepts a PATCH without operations', () => {
    expect(patch(entraTolerances, [])).toEqual(kim)
  })

  test('finds a group by its name and shows it without members', () => {
    const shown = projectResource(ops, parseProjection({ excludedAttributes: ['members'] }, groupResourceType))

    expect(finds(entraTolerances, 'displayName eq "ops"', ops)).toBe(true)
    expect(plain(shown)).toEqual({ schemas: [group], id: 'grp_1', displayName: 'Ops' })
  })

  test("creates a group with one of Microsoft's URNs", () => {
    const body = {
      schemas: [group, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1-guid',
      displayName: 'Ops',
      meta: { resourceType: 'Group' },
    }

    expect(create(entraTolerances, body, groupResourceType)).toEqual({
      schemas: [group],
      externalId: '8aa1-guid',
      displayName: 'Ops',
    })
  })

  test.each<[string, JsonValue, readonly JsonObject[]]>([
    [
      'adding members, one of whom exists',
      {
        op: 'Add',
        path: 'members',
        value: [
          { $ref: null, value: 'u1' },
          { $ref: null, value: 'u3' },
        ],
      },
      [{ value: 'u1', type: 'User' }, { value: 'u2', type: 'User' }, { value: 'u3' }],
    ],
    ['removing a member', { op: 'remove', path: 'members[value eq "u1"]' }, [{ value: 'u2', type: 'User' }]],
    [
      'removing an absent member, which changes nothing',
      { op: 'remove', path: 'members[value eq "u9"]' },
      [
        { value: 'u1', type: 'User' },
        { value: 'u2', type: 'User' },
      ],
    ],
    [
      'removing members listed in the value',
      { op: 'Remove', path: 'members', value: [{ $ref: null, value: 'u1' }] },
      [{ value: 'u2', type: 'User' }],
    ],
  ])('applies a PATCH of the members of a group: %s', (_, operation, members) => {
    expect(patch(entraTolerances, [operation], ops)).toEqual({ ...ops, members })
  })

  test('renames a group and removes all members', () => {
    const { members: _, ...empty } = ops

    expect(patch(entraTolerances, [{ op: 'Replace', path: 'displayName', value: 'Operations' }], ops)).toEqual({
      ...ops,
      displayName: 'Operations',
    })
    expect(patch(entraTolerances, [{ op: 'Remove', path: 'members' }], ops)).toEqual(empty)
  })

  test('accepts names in capitals, ignores meta and requires userName', () => {
    const body = {
      schemas: [user],
      UserName: 'a',
      Active: true,
      DisplayName: 'A',
      Emails: [{ Primary: true, Type: 'work', Value: 'a@x.test' }],
      meta: { lastModified: '2020-01-01T00:00:00.1234567Z' },
    }

    expect(create(entraTolerances, body)).toEqual({
      schemas: [user],
      userName: 'a',
      active: true,
      displayName: 'A',
      emails: [{ primary: true, type: 'work', value: 'a@x.test' }],
    })
    expect(summarizeRefusal(() => create(entraTolerances, { schemas: [user], displayName: 'A' }))).toBe(
      '400 invalidValue value_required',
    )
  })

  test('reads emails[type eq "work"] in the parameter attributes as emails', () => {
    const shown = projectResource(kim, parseProjection({ attributes: ['emails[type eq "work"]'] }, userResourceType))

    expect(plain(shown)).toEqual({ schemas: [user], id: 'usr_1', emails: kim['emails'] })
  })
})

describe('Okta', () => {
  test('creates a user', () => {
    const body = {
      schemas: [user],
      userName: 'kim@x.test',
      name: { givenName: 'Kim', familyName: 'Lee' },
      emails: [{ primary: true, value: 'kim@x.test', type: 'work' }],
      displayName: 'Kim Lee',
      locale: 'en-US',
      externalId: '00u1abc',
      groups: [],
      password: 'placeholder',
      active: true,
    }

    const { groups: _, ...expected } = body
    expect(create(oktaTolerances, body)).toEqual(expected)
  })

  test('updates a user by PUT', () => {
    const body = {
      schemas: [user],
      id: 'usr_1',
      userName: 'kim@x.test',
      name: { givenName: 'Kim', middleName: 'Q', familyName: 'Lee' },
      emails: [{ primary: true, value: 'kim@x.test', type: 'work', display: 'kim@x.test' }],
      active: false,
      groups: [],
      meta: { resourceType: 'User' },
    }
    const { resource } = parseResource(body, createParseContext(userResourceType, oktaTolerances))

    const { groups: _, ...expected } = body
    expect(plain(replaceResource(kim, resource, userResourceType).resource)).toEqual({ ...expected, meta: kim['meta'] })
  })

  test('deactivates and reactivates a user without a path', () => {
    expect(patch(oktaTolerances, [{ op: 'replace', value: { active: false } }])).toEqual({ ...kim, active: false })
    expect(patch(oktaTolerances, [{ op: 'replace', value: { active: true } }])).toEqual(kim)
  })

  test('accepts a password and does not show it', () => {
    const context = createParseContext(userResourceType, oktaTolerances)
    const operations = parsePatch(
      { schemas: [message], Operations: [{ op: 'replace', value: { password: 'p' } }] },
      context.tolerances,
    )
    const { resource, changed } = applyPatch(kim, operations, context)

    expect(changed).toBe(true)
    expect(resource['password']).toBe('p')
    expect(plain(projectResource(resource, parseProjection({}, userResourceType)))).toEqual(kim)
  })

  test('creates a pushed group', () => {
    expect(create(oktaTolerances, { schemas: [group], displayName: 'Ops', members: [] }, groupResourceType)).toEqual({
      schemas: [group],
      displayName: 'Ops',
    })
  })

  test('changes members one by one or all at once', () => {
    const one = [
      { op: 'remove', path: 'members[value eq "u1"]' },
      { op: 'add', path: 'members', value: [{ value: 'u3', display: 'kim@x.test' }] },
    ]
    const all = [
      {
        op: 'replace',
        path: 'members',
        value: [
          { value: 'u4', display: 'a' },
          { value: 'u2', display: 'b' },
        ],
      },
    ]

    expect(patch(oktaTolerances, one, ops)).toEqual({
      ...ops,
      members: [{ value: 'u2', type: 'User' }, { value: 'u3' }],
    })
    expect(patch(oktaTolerances, all, ops)).toEqual({
      ...ops,
      members: [{ value: 'u4' }, { value: 'u2', type: 'User' }],
    })
  })

  test('renames a group when the value repeats its id', () => {
    expect(patch(oktaTolerances, [{ op: 'replace', value: { id: 'grp_1', displayName: 'Operations' } }], ops)).toEqual({
      ...ops,
      displayName: 'Operations',
    })
  })

  test('treats empty strings as absent', () => {
    expect(create(oktaTolerances, { schemas: [user], userName: 'a', nickName: '', name: { givenName: '' } })).toEqual({
      schemas: [user],
      userName: 'a',
    })
  })
})

describe('other clients', () => {
  test('SailPoint: replacing one sub-attribute of name keeps the others', () => {
    expect(patch(generalTolerances, [{ op: 'replace', path: 'name', value: { familyName: 'Li' } }])).toEqual({
      ...kim,
      name: { formatted: 'Kim Lee', familyName: 'Li', givenName: 'Kim' },
    })
  })

  test('Keycloak: accepts active as a string, without a path', () => {
    expect(patch(generalTolerances, [{ op: 'replace', value: { active: 'false' } }])).toEqual({ ...kim, active: false })
  })

  test('Ping: accepts operators in any case', () => {
    expect(finds(strictTolerances, 'USERNAME Eq "kim@x.test"')).toBe(true)
    expect(finds(strictTolerances, 'emails Co "X.TEST"')).toBe(true)
  })

  test('accepts a boolean in a list', () => {
    expect(patch(generalTolerances, [{ op: 'replace', path: 'active', value: [false] }])).toEqual({
      ...kim,
      active: false,
    })
  })
})
