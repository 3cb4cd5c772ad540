import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import {
  core,
  enterprise,
  homeMail,
  kim,
  ops,
  patch,
  patchWith,
  workMail,
  type Operation,
} from '../../test/fixtures/patched.ts'
import { refusalOf, summarizeRefusal } from '../../test/fixtures/refused.ts'
import { strictTolerances } from '../tolerance/tolerances.ts'

const addresses = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `${index}@x` }))

test.each<[string, Operation, JsonObject]>([
  ['add sets an absent attribute (RFC 7644 §3.5.2.1)', { op: 'add', path: 'title', value: 'Boss' }, { title: 'Boss' }],
  [
    'add replaces the value of a single-valued attribute (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'userName', value: 'k' },
    { userName: 'k' },
  ],
  [
    'add merges a complex value (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'name', value: { middleName: 'Q' } },
    { name: { givenName: 'Kim', middleName: 'Q', familyName: 'Lee' } },
  ],
  [
    'add appends to a multi-valued attribute (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'emails', value: [{ value: 'c@x', type: 'other' }] },
    { emails: [workMail, homeMail, { value: 'c@x', type: 'other' }] },
  ],
  [
    'add accepts one value without an array (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'emails', value: { value: 'c@x' } },
    { emails: [workMail, homeMail, { value: 'c@x' }] },
  ],
  [
    'add without a path accepts a set of attributes (RFC 7644 §3.5.2.1)',
    { op: 'add', value: { title: 'Boss', name: { givenName: 'K' } } },
    { title: 'Boss', name: { givenName: 'K', familyName: 'Lee' } },
  ],
  [
    'add accepts as many values as an attribute may have (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'emails', value: addresses(98) },
    { emails: [workMail, homeMail, ...addresses(98)] },
  ],
  [
    'add distinguishes elements without `value` by their other sub-attributes (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'emails', value: [{ display: 'A' }, { display: 'B' }] },
    { emails: [workMail, homeMail, { display: 'A' }, { display: 'B' }] },
  ],
  [
    'add to a selected value merges its sub-attributes (RFC 7644 §3.5.2.1)',
    { op: 'add', path: 'emails[type eq "home"]', value: { display: 'H' } },
    { emails: [workMail, { ...homeMail, display: 'H' }] },
  ],
  [
    'a new primary value makes the old one non-primary (RFC 7644 §3.5.2)',
    { op: 'add', path: 'emails', value: [{ value: 'c@x', primary: true }] },
    { emails: [{ ...workMail, primary: false }, homeMail, { value: 'c@x', primary: true }] },
  ],
  [
    'setting only the sub-attribute `primary` makes the old primary value non-primary (RFC 7644 §3.5.2)',
    { op: 'replace', path: 'emails[type eq "home"].primary', value: true },
    {
      emails: [
        { ...workMail, primary: false },
        { ...homeMail, primary: true },
      ],
    },
  ],
  [
    'the primary value may be made primary again (RFC 7644 §3.5.2)',
    { op: 'replace', path: 'emails[type eq "work"].primary', value: true },
    { emails: [workMail, homeMail] },
  ],
  [
    'remove clears an attribute (RFC 7644 §3.5.2.2)',
    { op: 'remove', path: 'displayName' },
    { displayName: undefined } as never,
  ],
  [
    'remove clears a sub-attribute (RFC 7644 §3.5.2.2)',
    { op: 'remove', path: 'name.givenName' },
    { name: { familyName: 'Lee' } },
  ],
  [
    'remove deletes only the selected values (RFC 7644 §3.5.2.2)',
    { op: 'remove', path: 'emails[type eq "home"]' },
    { emails: [workMail] },
  ],
  [
    'remove with null as its value, which means no value, deletes the selected values (RFC 7643 §2.5)',
    { op: 'remove', path: 'emails[type eq "home"]', value: null },
    { emails: [workMail] },
  ],
  [
    'remove clears a sub-attribute of the selected values (RFC 7644 §3.5.2.2)',
    { op: 'remove', path: 'emails[type eq "work"].primary' },
    { emails: [{ value: 'kim@x.test', type: 'work' }, homeMail] },
  ],
  [
    'removing the last value clears the attribute (RFC 7644 §3.5.2.2)',
    { op: 'remove', path: 'emails[value pr]' },
    { emails: undefined } as never,
  ],
  [
    'replace adds an absent attribute (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'title', value: 'Boss' },
    { title: 'Boss' },
  ],
  [
    'replace of a complex value keeps the other sub-attributes (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'name', value: { givenName: 'K' } },
    { name: { givenName: 'K', familyName: 'Lee' } },
  ],
  [
    'replace of a sub-attribute keeps the others (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'name.familyName', value: 'Li' },
    { name: { givenName: 'Kim', familyName: 'Li' } },
  ],
  [
    'replace of a multi-valued attribute replaces all values (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'emails', value: [{ value: 'c@x' }] },
    { emails: [{ value: 'c@x' }] },
  ],
  [
    'replace of a selected value replaces all of its sub-attributes (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'c@x' } },
    { emails: [workMail, { value: 'c@x' }] },
  ],
  [
    'replace of a sub-attribute changes only the selected values (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'emails[type eq "work"].value', value: 'c@x' },
    { emails: [{ ...workMail, value: 'c@x' }, homeMail] },
  ],
  [
    'replace of a sub-attribute without a filter changes all values (RFC 7644 §3.5.2.3)',
    { op: 'replace', path: 'emails.display', value: 'D' },
    {
      emails: [
        { ...workMail, display: 'D' },
        { ...homeMail, display: 'D' },
      ],
    },
  ],
  [
    'a URN selects an attribute of an extension (RFC 7644 §3.10)',
    { op: 'add', path: `${enterprise}:department`, value: 'Ops' },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
  ],
  [
    'a URN selects a sub-attribute of an extension (RFC 7644 §3.10)',
    { op: 'add', path: `${enterprise}:manager.value`, value: 'u9' },
    { schemas: [core, enterprise], [enterprise]: { manager: { value: 'u9' } } },
  ],
  [
    'a URN may be in any case (RFC 7644 §3.10)',
    { op: 'add', path: `${enterprise.toUpperCase()}:DEPARTMENT`, value: 'Ops' },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
  ],
  [
    'a URN alone selects all attributes of an extension (RFC 7644 §3.10)',
    { op: 'add', path: enterprise, value: { department: 'Ops' } },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
  ],
  [
    'the URN of an extension is a key in a value without a path (RFC 7644 §3.5.2.1)',
    { op: 'add', value: { [enterprise]: { department: 'Ops' } } },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
  ],
  [
    'the URN of the core schema may precede a name (RFC 7644 §3.10)',
    { op: 'replace', path: `${core}:displayName`, value: 'K' },
    { displayName: 'K' },
  ],
  [
    'names in a path are case-insensitive (RFC 7643 §2.1)',
    { op: 'replace', path: 'EMAILS[TYPE EQ "work"].Value', value: 'c@x' },
    { emails: [{ ...workMail, value: 'c@x' }, homeMail] },
  ],
  [
    'keys in a value are case-insensitive (RFC 7643 §2.1)',
    { op: 'replace', value: { DISPLAYNAME: 'K' } },
    { displayName: 'K' },
  ],
  [
    'null clears a sub-attribute (RFC 7643 §2.5)',
    { op: 'replace', path: 'name', value: { givenName: null } },
    { name: { familyName: 'Lee' } },
  ],
  [
    'an empty array clears a multi-valued attribute (RFC 7643 §2.5)',
    { op: 'replace', path: 'emails', value: [] },
    { emails: undefined } as never,
  ],
  [
    'schemas in a value are ignored, because the server computes them (RFC 7643 §3)',
    { op: 'replace', value: { schemas: [core, enterprise], displayName: 'K' } },
    { displayName: 'K' },
  ],
  [
    'a value may contain the current id, as Okta sends it',
    { op: 'replace', value: { id: 'usr_1', displayName: 'K' } },
    { displayName: 'K' },
  ],
])('%s', (_, operation, expected) => {
  const { resource, changed, applied } = patch(operation)

  const plain = JSON.parse(JSON.stringify({ ...kim, ...expected })) as JsonObject
  expect(JSON.parse(JSON.stringify(resource))).toEqual(plain)
  expect(changed).toBe(JSON.stringify(plain) !== JSON.stringify(kim))
  expect(applied).toEqual([])
})

test.each<[string, Operation, JsonObject?]>([
  ['an add of an existing value', { op: 'add', path: 'emails', value: [{ value: 'kim@home.test', type: 'home' }] }],
  [
    'an add of an existing value with a null sub-attribute',
    { op: 'add', path: 'emails', value: [{ value: 'kim@home.test', type: 'home', display: null }] },
  ],
  ['a replace with the current single value', { op: 'replace', path: 'active', value: true }],
  ['an add of the current complex value', { op: 'add', path: 'name', value: { familyName: 'Lee', givenName: 'Kim' } }],
  [
    'a replace with the current values in another order',
    { op: 'replace', path: 'emails', value: [homeMail, workMail] },
  ],
  ['a remove of an absent attribute', { op: 'remove', path: 'title' }],
  ['a remove of an absent value', { op: 'remove', path: 'emails[value eq "none"]' }],
  ['an add of an empty array', { op: 'add', path: 'emails', value: [] }],
  [
    'an add of a current member without its type',
    { op: 'add', path: 'members', value: [{ $ref: null, value: 'u1' }] },
    ops,
  ],
  [
    'a replace with the same members in another order, of which one has a display name,',
    { op: 'replace', path: 'members', value: [{ value: 'u3', display: 'x' }, { value: 'u2' }, { value: 'u1' }] },
    ops,
  ],
  ['a remove of a user who is not a member', { op: 'remove', path: 'members[value eq "u7"]' }, ops],
])('%s changes nothing (RFC 7644 §3.5.2.1)', (_, operation, resource = kim) => {
  const result = patch(operation, resource)

  expect(result.changed).toBe(false)
  expect(result.resource).toBe(resource)
})

test.each<[Operation, string, JsonObject?]>([
  [{ path: 'title', value: 'x' }, 'invalidSyntax operation_malformed'],
  [{ op: null, path: 'title', value: 'x' }, 'invalidSyntax operation_malformed'],
  [{ op: 'replace', path: 'title', value: null }, 'invalidValue value_missing'],
  [{ op: 'add', path: 'emails', value: null }, 'invalidValue value_missing'],
  [{ op: 'replace', path: 'emails[type eq "work"]', value: null }, 'invalidValue value_missing'],
  [{ op: 'replace', path: 'emails[type eq "work"].value', value: null }, 'invalidValue value_missing'],
  [{ op: 'replace', path: 'emails[type eq "none"].value', value: 'x' }, 'noTarget path_no_match'],
  [{ op: 'add', path: 'emails[type eq "none"].value', value: 'x' }, 'noTarget path_no_match'],
  [{ op: 'replace', path: 'ims.value', value: 'x' }, 'noTarget path_no_match'],
  [{ op: 'replace', path: 'nothing', value: 'x' }, 'invalidPath path_unknown'],
  [{ op: 'replace', path: 'name.nothing', value: 'x' }, 'invalidPath path_unknown'],
  [{ op: 'replace', path: 'emails[type eq "work"].nothing', value: 'x' }, 'invalidPath path_unknown'],
  [{ op: 'replace', path: 'urn:unknown:x', value: 'x' }, 'invalidPath path_unknown'],
  [{ op: 'replace', path: 'manager', value: 'x' }, 'invalidPath path_unknown'],
  [{ op: 'add', path: `${enterprise}.department`, value: 'x' }, 'invalidPath path_unknown'],
  [{ op: 'add', path: `${enterprise}.manager.value`, value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: '', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[type eq "work"] ', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: ' displayName', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'displayName ', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'name .givenName', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails [type eq "work"].value', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[ type eq "work"].value', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[type eq "work" ].value', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[type eq "work"].urn:x:value', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[type eq "work"].value ', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[type eq "work"] .value', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'emails[type eq "work"].a.b', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'userName eq "x"', value: 'x' }, 'invalidPath path_syntax'],
  [{ op: 'replace', path: 'userName[value eq "x"]', value: 'x' }, 'invalidPath path_filter'],
  [{ op: 'replace', path: 'name[givenName eq "x"].familyName', value: 'x' }, 'invalidPath path_filter'],
  [{ op: 'replace', path: 'emails.value[type eq "x"]', value: 'x' }, 'invalidPath path_filter'],
  [{ op: 'replace', path: 'emails[nothing eq "x"].value', value: 'x' }, 'invalidFilter filter_attribute_unknown'],
  [{ op: 'replace', path: 'emails[primary gt true].value', value: 'x' }, 'invalidFilter filter_operator'],
  [{ op: 'remove', path: 'userName' }, 'mutability attribute_required'],
  [{ op: 'remove', path: 'displayName' }, 'mutability attribute_required', ops],
  [{ op: 'remove', path: 'id' }, 'mutability attribute_read_only'],
  [{ op: 'replace', value: { meta: { version: 'x' } } }, 'mutability attribute_read_only'],
  [{ op: 'replace', path: 'id', value: 'x' }, 'mutability attribute_read_only'],
  [{ op: 'replace', path: 'meta.created', value: 'x' }, 'mutability attribute_read_only'],
  [{ op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'mutability attribute_read_only'],
  [{ op: 'add', path: 'schemas', value: ['urn:x:y'] }, 'mutability attribute_read_only'],
  [{ op: 'replace', value: { groups: [{ value: 'g' }] } }, 'mutability attribute_read_only'],
  [{ op: 'replace', path: `${enterprise}:manager.displayName`, value: 'x' }, 'mutability attribute_read_only'],
  [{ op: 'replace', path: 'members[value eq "u1"].value', value: 'u9' }, 'mutability attribute_immutable', ops],
  [{ op: 'replace', path: 'members[value eq "u1"]', value: { value: 'u9' } }, 'mutability attribute_immutable', ops],
  [{ op: 'remove', path: 'members[value eq "u1"].value' }, 'mutability attribute_immutable', ops],
  [{ op: 'replace', path: 'members', value: [{ value: 'u1', type: 'Group' }] }, 'mutability attribute_immutable', ops],
  [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue value_required'],
  [{ op: 'replace', path: 'active', value: 'false' }, 'invalidValue value_type'],
  [{ op: 'replace', path: 'active', value: [true] }, 'invalidValue value_type'],
  [{ op: 'replace', path: 'emails', value: { value: 'x' } }, 'invalidValue value_type'],
  [{ op: 'replace', path: 'emails', value: ['x'] }, 'invalidValue value_type'],
  [{ op: 'replace', path: 'emails', value: [{ value: 5 }] }, 'invalidValue value_type'],
  [{ op: 'replace', path: 'name', value: 'x' }, 'invalidValue value_type'],
  [{ op: 'replace', path: enterprise, value: 'x' }, 'invalidValue value_type'],
  [{ op: 'replace', value: 'x' }, 'invalidValue value_type'],
  [{ op: 'replace', path: 'name', value: { nothing: 'x' } }, 'invalidSyntax attribute_unknown'],
  [{ op: 'replace', path: 'name', value: { givenName: 'a', GIVENNAME: 'b' } }, 'invalidSyntax member_repeated'],
  [{ op: 'replace', value: { nothing: 'x' } }, 'invalidSyntax attribute_unknown'],
  [{ op: 'replace', value: { 'name.givenName': 'x' } }, 'invalidSyntax attribute_unknown'],
  [{ op: 'replace', value: { title: 'a', TITLE: 'b' } }, 'invalidSyntax member_repeated'],
  [{ op: 'remove', path: 'members', value: [{ value: 'u1' }] }, 'invalidSyntax remove_with_value', ops],
  [{ op: 'remove', path: 'members[value eq "u1"]', value: 'x' }, 'invalidSyntax remove_with_value', ops],
  [
    {
      op: 'add',
      path: 'emails',
      value: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    },
    'invalidValue value_primary_twice',
  ],
  [{ op: 'replace', path: 'emails[value pr].primary', value: true }, 'invalidValue value_primary_twice'],
  [{ op: 'add', path: 'emails', value: addresses(99) }, 'invalidValue value_too_many'],
])('refuses %j with %s (RFC 7644 §3.5.2)', (operation, expected, resource = kim) => {
  expect(summarizeRefusal(() => patch(operation, resource))).toBe(`400 ${expected}`)
})

test('applies operations in order, and all or none (RFC 7644 §3.5.2)', () => {
  const operations = [
    { op: 'add', path: 'ims', value: [{ value: 'a' }] },
    { op: 'replace', path: 'ims[value eq "a"].type', value: 'x' },
    { op: 'replace', path: 'ims[type eq "x"].value', value: 'b' },
  ]

  expect(patchWith(strictTolerances, operations, kim).resource['ims']).toEqual([{ value: 'b', type: 'x' }])
  expect(
    refusalOf(() => patchWith(strictTolerances, [...operations, { op: 'remove', path: 'userName' }], kim)).reason,
  ).toBe('attribute_required')
  expect(kim).not.toHaveProperty('ims')
})

test('removes an extension from `schemas` with its last attribute (RFC 7643 §3)', () => {
  const before = { ...kim, schemas: [core, enterprise], [enterprise]: { department: 'Ops' } }

  const { resource } = patch({ op: 'remove', path: `${enterprise}:department` }, before)

  expect(resource['schemas']).toEqual([core])
  expect(resource).not.toHaveProperty([enterprise])
  expect(patch({ op: 'remove', path: enterprise }, before).resource['schemas']).toEqual([core])
})

test('suggests an attribute of the schema for an unknown path', () => {
  expect(refusalOf(() => patch({ op: 'replace', path: 'familyName', value: 'x' })).detail).toContain(
    'Did you mean name.familyName?',
  )
})

test('suggests a path that the operation can have: members, and not members.value, which no operation can change', () => {
  const operation = { op: 'add', value: [{ value: 'u3' }] }

  expect(refusalOf(() => patch({ ...operation, path: 'member' }, ops)).detail).toContain('Did you mean members?')
  expect(patch({ ...operation, path: 'members' }, ops).resource).toMatchObject({
    members: expect.any(Array) as unknown,
  })
})

test('removes all members and keeps the group when a remove of members has no value', () => {
  const { resource } = patch({ op: 'remove', path: 'members' }, ops)

  expect(resource).not.toHaveProperty('members')
  expect(resource['displayName']).toBe('Ops')
})

test('adds the type of an existing member when it is given later', () => {
  const { resource } = patch({ op: 'add', path: 'members', value: [{ value: 'u3', type: 'User' }] }, ops)

  expect(resource['members']).toEqual([
    { value: 'u1', type: 'User' },
    { value: 'u2', type: 'User' },
    { value: 'u3', type: 'User' },
  ])
})

test('returns the same object when an operation has no effect (RFC 7644 §3.5.2.1)', () => {
  expect(patch({ op: 'replace', path: 'displayName', value: 'Kim' }).resource).toBe(kim)
})

test('replaces a list that contains a value twice with another list of the same length (RFC 7643 §2.4)', () => {
  const twice = { ...kim, emails: [{ value: 'b@x.test' }, { value: 'b@x.test' }] }
  const value = [{ value: 'b@x.test' }, { value: 'a@x.test' }]

  for (const emails of [value, value.toReversed()])
    expect(
      patchWith(strictTolerances, [{ op: 'replace', path: 'emails', value: emails }], twice).resource['emails'],
    ).toEqual(emails)
})
