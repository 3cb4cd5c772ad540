import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import {
  core,
  enterprise,
  homeMail,
  kim,
  message,
  ops,
  patchTolerantly,
  workMail,
  type Operation,
} from '../../test/fixtures/patched.ts'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { userResourceType } from '../schema/user-schema.ts'
import { allTolerances, type Tolerance } from '../tolerance/tolerances.ts'
import { createParseContext } from '../schema/parse-context.ts'
import { parsePatch } from './parse-patch.ts'

// Requests of identity providers that deviate from the RFC, with the tolerances that accept them.

test.each<[string, Operation, JsonObject, readonly Tolerance[]]>([
  [
    'a capitalized op and a boolean as a string',
    { op: 'Replace', path: 'active', value: 'False' },
    { active: false },
    ['operation-name-case', 'boolean-as-text'],
  ],
  [
    'a boolean as a string, in any case',
    { op: 'replace', value: { active: 'FALSE' } },
    { active: false },
    ['boolean-as-text'],
  ],
  [
    'a list around a boolean',
    { op: 'replace', path: 'active', value: [false] },
    { active: false },
    ['list-around-value'],
  ],
  [
    'a list around the value of an operation without a path',
    { op: 'replace', value: [{ displayName: 'L' }] },
    { displayName: 'L' },
    ['list-around-value'],
  ],
  [
    'a whole resource as the value of an operation without a path',
    {
      op: 'replace',
      value: { schemas: [core], id: 'usr_1', meta: { resourceType: 'User', version: 'W/"1"' }, title: 'x' },
    },
    { title: 'x' },
    ['meta-in-patch'],
  ],
  [
    'a remove of selected values that also has a value',
    { op: 'remove', path: 'emails[type eq "home"]', value: 'x' },
    { emails: [workMail] },
    ['remove-with-value'],
  ],
  [
    'a dot after the URN of an extension',
    { op: 'add', path: `${enterprise}.manager.value`, value: 'u9' },
    { schemas: [core, enterprise], [enterprise]: { manager: { value: 'u9' } } },
    ['dot-after-urn'],
  ],
  [
    'a write to a read-only sub-attribute of a writable attribute',
    { op: 'replace', path: `${enterprise}:manager.displayName`, value: 'Lou' },
    {},
    ['read-only-sub-attribute'],
  ],
  [
    'an integer for a string attribute',
    { op: 'replace', path: `${enterprise}:employeeNumber`, value: 4711 },
    { schemas: [core, enterprise], [enterprise]: { employeeNumber: '4711' } },
    ['text-as-number'],
  ],
  ['an operation without op', { path: 'title', value: 'x' }, { title: 'x' }, ['operation-name-missing']],
  [
    'an operation whose op is null',
    { op: null, path: 'title', value: 'x' },
    { title: 'x' },
    ['operation-name-missing'],
  ],
  [
    'an add to a sub-attribute of a value that does not exist',
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1' },
    { phoneNumbers: [{ type: 'mobile', value: '+1' }] },
    ['operation-name-case', 'create-on-no-match'],
  ],
  [
    'a replace of a sub-attribute of a value that does not exist, among other values',
    { op: 'replace', path: 'emails[type eq "other"].value', value: 'c@x' },
    { emails: [workMail, homeMail, { type: 'other', value: 'c@x' }] },
    ['create-on-no-match'],
  ],
  [
    'a filter that matches no value, with a boolean as a string',
    { op: 'add', path: 'roles[primary eq "True"].value', value: 'r' },
    { roles: [{ primary: true, value: 'r' }] },
    ['boolean-as-text', 'create-on-no-match', 'boolean-as-text'],
  ],
  [
    'a replace of a whole value that does not exist',
    { op: 'replace', path: 'emails[type eq "other"]', value: { value: 'c@x' } },
    { emails: [workMail, homeMail, { type: 'other', value: 'c@x' }] },
    ['create-on-no-match'],
  ],
  [
    'a replace of an absent value, whose new value is that of an existing one',
    {
      op: 'replace',
      path: 'emails[type eq "other"]',
      value: { value: 'kim@home.test', type: 'home', display: 'H', primary: true },
    },
    {
      emails: [
        { ...workMail, primary: false },
        { ...homeMail, display: 'H', primary: true },
      ],
    },
    ['create-on-no-match'],
  ],
  [
    'a filter of two equalities that matches no value',
    { op: 'add', path: 'ims[type eq "x" and display eq "d"].value', value: 'v' },
    { ims: [{ type: 'x', display: 'd', value: 'v' }] },
    ['create-on-no-match'],
  ],
  [
    'a replace of a sub-attribute of an attribute without values',
    { op: 'replace', path: 'ims.value', value: 'v' },
    { ims: [{ value: 'v' }] },
    ['create-on-no-match'],
  ],
  [
    'null for a sub-attribute of a value that does not exist',
    { op: 'replace', path: 'ims[type eq "x"].value', value: null },
    {},
    ['create-on-no-match', 'null-means-absent'],
  ],
  [
    'manager as a string, by its short name',
    { op: 'Add', path: 'manager', value: 'u9' },
    { schemas: [core, enterprise], [enterprise]: { manager: { value: 'u9' } } },
    ['operation-name-case', 'extension-attribute-without-urn', 'text-for-complex'],
  ],
  [
    'manager as a list',
    { op: 'add', path: `${enterprise}:manager`, value: [{ $ref: null, value: 'u9' }] },
    { schemas: [core, enterprise], [enterprise]: { manager: { value: 'u9' } } },
    ['list-around-value'],
  ],
  [
    'an empty string for manager',
    { op: 'replace', path: `${enterprise}:manager`, value: '' },
    {},
    ['empty-text-means-absent'],
  ],
  [
    'a replace of a single value with null',
    { op: 'Replace', path: 'displayName', value: null },
    { displayName: undefined } as never,
    ['operation-name-case', 'null-means-absent'],
  ],
  [
    'an add of null to a single-valued attribute',
    { op: 'add', path: 'displayName', value: null },
    { displayName: undefined } as never,
    ['null-means-absent'],
  ],
  ['an add of null to a list', { op: 'add', path: 'emails', value: null }, {}, ['null-means-absent']],
  [
    'a replace of a list with null',
    { op: 'replace', path: 'emails', value: null },
    { emails: undefined } as never,
    ['null-means-absent'],
  ],
  [
    'a replace of a selected value with null',
    { op: 'replace', path: 'emails[type eq "home"]', value: null },
    { emails: [workMail] },
    ['null-means-absent'],
  ],
  [
    'a replace of a sub-attribute of a selected value with null',
    { op: 'replace', path: 'emails[type eq "work"].primary', value: null },
    { emails: [{ value: 'kim@x.test', type: 'work' }, homeMail] },
    ['null-means-absent'],
  ],
  [
    'a remove with a value of another type',
    { op: 'remove', path: 'displayName', value: [{}, 5] },
    { displayName: undefined } as never,
    ['remove-with-value'],
  ],
  [
    'paths as keys',
    {
      op: 'replace',
      value: { displayName: 'K', 'name.givenName': 'K', [`${enterprise}:employeeNumber`]: '42', active: true },
    },
    {
      displayName: 'K',
      name: { givenName: 'K', familyName: 'Lee' },
      schemas: [core, enterprise],
      [enterprise]: { employeeNumber: '42' },
    },
    ['paths-as-keys', 'paths-as-keys'],
  ],
  [
    'a filter in a key',
    { op: 'replace', value: { 'emails[type eq "work"].value': 'c@x' } },
    { emails: [{ ...workMail, value: 'c@x' }, homeMail] },
    ['paths-as-keys'],
  ],
  ['unknown keys', { op: 'replace', value: { isAdmin: true, title: 'x' } }, { title: 'x' }, ['unknown-attributes']],
  [
    'one value without a list',
    { op: 'replace', path: 'emails', value: { value: 'c@x' } },
    { emails: [{ value: 'c@x' }] },
    ['value-without-list'],
  ],
  [
    'a string for a complex value',
    { op: 'add', path: 'roles', value: ['r'] },
    { roles: [{ value: 'r' }] },
    ['text-for-complex'],
  ],
  [
    'the misspelt URN of the enterprise extension',
    { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User:department', value: 'Ops' },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
    ['legacy-urns'],
  ],
  [
    'a filter value without quotes',
    { op: 'replace', path: 'emails[type eq work].value', value: 'c@x' },
    { emails: [{ ...workMail, value: 'c@x' }, homeMail] },
    ['unquoted-filter-value'],
  ],
  [
    'an empty string for displayName',
    { op: 'replace', path: 'displayName', value: '' },
    { displayName: undefined } as never,
    ['empty-text-means-absent'],
  ],
  [
    'a remove that repeats the single value',
    { op: 'remove', path: 'displayName', value: 'Kim' },
    { displayName: undefined } as never,
    ['remove-with-value'],
  ],
])('accepts %s, and counts the tolerances that it needs', (_, operation, expected, tolerances) => {
  const { resource, applied } = patchTolerantly(operation)

  expect(JSON.parse(JSON.stringify(resource))).toEqual(JSON.parse(JSON.stringify({ ...kim, ...expected })))
  expect(applied.flatMap(({ tolerance, count }) => Array.from({ length: count }, () => tolerance)).toSorted()).toEqual(
    tolerances.toSorted(),
  )
})

test.each<[string, Operation, readonly string[], readonly Tolerance[]]>([
  [
    'a list of values',
    { op: 'Remove', path: 'members', value: [{ value: 'u1', $ref: null }, { value: 'u9' }] },
    ['u2', 'u3'],
    ['operation-name-case', 'remove-with-value'],
  ],
  ['one value', { op: 'remove', path: 'members', value: { value: 'u1' } }, ['u2', 'u3'], ['remove-with-value']],
  [
    'an object that repeats the attribute',
    { op: 'remove', path: 'members', value: { members: [{ value: 'u1' }] } },
    ['u2', 'u3'],
    ['remove-with-value', 'remove-with-nested-value'],
  ],
  [
    'strings',
    { op: 'remove', path: 'members', value: ['u1', 'u2'] },
    ['u3'],
    ['remove-with-value', 'text-for-complex'],
  ],
  ['an empty list', { op: 'remove', path: 'members', value: [] }, ['u1', 'u2', 'u3'], ['remove-with-value']],
])('removes only the members that a remove lists as %s', (_, operation, left, tolerances) => {
  const { resource, applied } = patchTolerantly(operation, ops)

  expect((resource['members'] as readonly JsonObject[]).map(({ value }) => value)).toEqual(left)
  expect(applied.map(({ tolerance }) => tolerance).toSorted()).toEqual(tolerances.toSorted())
})

test.each([
  'emails[type eq "a" or type eq "b"].value',
  'emails[not (type pr)].value',
  'emails[type sw "a"].value',
  'emails[type eq null].value',
  'emails[type eq "a" and type eq "b"].value',
  'members[type eq "a" and type eq "b"].value',
])('refuses to create a value for a filter that does not describe exactly one: %s', (path) => {
  const resource = path.startsWith('members') ? ops : kim
  const withoutMatch = path.includes('null') ? { ...kim, emails: [homeMail] } : resource

  expect(summarizeRefusal(() => patchTolerantly({ op: 'replace', path, value: 'x' }, withoutMatch))).toBe(
    '400 noTarget path_no_match',
  )
})

test('refuses to create a value for a filter on a computed sub-attribute (RFC 7644 §3.5.2.3)', () => {
  expect(
    summarizeRefusal(() => patchTolerantly({ op: 'add', path: 'members[$ref eq "x"].value', value: 'u9' }, ops)),
  ).toBe('400 invalidFilter filter_attribute_unsearchable')
})

test('counts a created value towards the limit (RFC 7643 §2.4)', () => {
  const full = { ...kim, emails: Array.from({ length: 100 }, (_, index) => ({ value: `${index}@x` })) }

  expect(
    summarizeRefusal(() => patchTolerantly({ op: 'add', path: 'emails[type eq "other"].value', value: 'x' }, full)),
  ).toBe('400 invalidValue value_too_many')
  const oneLess = { ...full, emails: full.emails.slice(1) }
  expect(
    patchTolerantly({ op: 'add', path: 'emails[type eq "other"].value', value: 'x' }, oneLess).resource,
  ).toMatchObject({
    emails: [...oneLess.emails, { value: 'x', type: 'other' }],
  })
})

test.each([
  ['without schemas', {}, undefined],
  ['whose schemas are null', { schemas: null }, undefined],
  ['with the URN of the resource', { schemas: [core] }, undefined],
  ['with an empty list', { schemas: [] }, undefined],
  [
    'with the URN of another message',
    { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'] },
    '400 invalidSyntax schemas_missing',
  ],
  ['whose schemas are no list', { schemas: message }, '400 invalidSyntax schemas_missing'],
])('reads a message %s as a PATCH only if it names no other schema', (_, schemas, refused) => {
  const { tolerances } = createParseContext(userResourceType, allTolerances)
  const parse = () => parsePatch({ ...schemas, Operations: [{ op: 'remove', path: 'title' }] }, tolerances)

  if (refused === undefined) expect(parse()).toHaveLength(1)
  else expect(summarizeRefusal(parse)).toBe(refused)
})
