import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { userResourceType } from '../../src/index.ts'
import { createParseContext } from '../../src/schema/parse-context.ts'
import {
  entraTolerances,
  generalTolerances,
  strictTolerances,
  type Tolerances,
} from '../../src/tolerance/tolerances.ts'
import { replaceResource } from '../../src/resource/replace-resource.ts'
import { parseResource } from '../../src/resource/parse-resource.ts'
import { parsePatch } from '../../src/patch/parse-patch.ts'
import { applyPatch } from '../../src/patch/apply-patch.ts'
import { renderScimError } from '../../src/error/scim-error.ts'
import { outcomeOf } from '../fixtures/outcome-of.ts'
import { expectPrototypesUntouched } from '../fixtures/prototypes-untouched.ts'
import { refusalOf, summarizeRefusal } from '../fixtures/refused.ts'

// Hostile PATCH and PUT requests, applied to a resource without a server.

const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const alice: JsonObject = {
  schemas: [core],
  id: 'usr_1',
  userName: 'alice@x',
  active: true,
  emails: [{ value: 'a', type: 'work' }, { value: 'b', type: 'home' }, { value: 'c' }],
  meta: { resourceType: 'User' },
}

function send(body: unknown, tolerances: Tolerances, resource = alice) {
  const context = createParseContext(userResourceType, tolerances)
  const before = JSON.stringify(resource)
  const outcome = outcomeOf(() => applyPatch(resource, parsePatch(body, context.tolerances), context))
  expect(JSON.stringify(resource)).toBe(before)
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.value
}

const operations = (...all: readonly JsonValue[]) => ({ schemas: [message], Operations: all })
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const parseJson = (text: string) => JSON.parse(text) as JsonValue

const bothProfiles: readonly Tolerances[] = [strictTolerances, generalTolerances]

test.each<[string, unknown, string]>([
  ['no Operations', { schemas: [message] }, '400 invalidSyntax operations_missing'],
  ['Operations that are not an array', { schemas: [message], Operations: {} }, '400 invalidSyntax operations_missing'],
  [
    'the schema of another message',
    { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: [] },
    '400 invalidSyntax schemas_missing',
  ],
  ['an array as its body', [], '400 invalidSyntax body_malformed'],
  ['Operations twice', { schemas: [message], Operations: [], operations: [] }, '400 invalidSyntax member_repeated'],
  ['an operation that is not an object', operations('x'), '400 invalidSyntax operation_malformed'],
  ['an operation that is null', operations(null), '400 invalidSyntax operation_malformed'],
  [
    'a path that is not a string',
    operations({ op: 'add', path: 5, value: 1 }),
    '400 invalidSyntax operation_malformed',
  ],
  ['an unknown op', operations({ op: 'move', path: 'title', value: 1 }), '400 invalidSyntax operation_unknown'],
  ['no operation', operations(), '400 invalidSyntax operations_empty'],
  [
    '100,000 operations',
    operations(...Array.from({ length: 100_000 }, () => ({ op: 'remove', path: 'a' }))),
    '413 - operations_too_many',
  ],
  ['a remove without a path', operations({ op: 'remove' }), '400 noTarget path_missing'],
  ['a replace without a value', operations({ op: 'replace', path: 'title' }), '400 invalidValue value_missing'],
  ['an add without a value', operations({ op: 'add', path: 'title' }), '400 invalidValue value_missing'],
  [
    'id and meta in a value without a path',
    operations({ op: 'replace', value: { id: 'x', meta: {} } }),
    '400 mutability attribute_read_only',
  ],
  ['the path id', operations({ op: 'replace', path: 'id', value: 'usr_2' }), '400 mutability attribute_read_only'],
  ['the path meta.version', operations({ op: 'remove', path: 'meta.version' }), '400 mutability attribute_read_only'],
  [
    'the path __proto__.isAdmin',
    operations({ op: 'add', path: '__proto__.isAdmin', value: true }),
    '400 invalidPath path_syntax',
  ],
  [
    'the path constructor.prototype.x',
    operations({ op: 'add', path: 'constructor.prototype.x', value: true }),
    '400 invalidPath path_syntax',
  ],
  [
    'the path constructor.prototype',
    operations({ op: 'add', path: 'constructor.prototype', value: true }),
    '400 invalidPath path_unknown',
  ],
  [
    'the path name.__proto__',
    operations({ op: 'add', path: 'name.__proto__', value: { isAdmin: true } }),
    '400 invalidPath path_syntax',
  ],
  [
    'the path name.constructor',
    operations({ op: 'add', path: 'name.constructor', value: { isAdmin: true } }),
    '400 invalidPath path_unknown',
  ],
  [
    '__proto__ after a value filter',
    operations({ op: 'add', path: 'emails[type eq "work"].__proto__', value: { isAdmin: true } }),
    '400 invalidPath path_syntax',
  ],
  [
    'constructor after a value filter',
    operations({ op: 'add', path: 'emails[type eq "work"].constructor', value: {} }),
    '400 invalidPath path_unknown',
  ],
  [
    'dots and slashes in its path',
    operations({ op: 'replace', path: '../../T2/users/u21', value: 'x' }),
    '400 invalidPath path_syntax',
  ],
  [
    'a slash at the start of its path',
    operations({ op: 'replace', path: '/userName', value: 'x' }),
    '400 invalidPath path_syntax',
  ],
  [
    'a dollar sign in its path',
    operations({ op: 'replace', path: '$.userName', value: 'x' }),
    '400 invalidPath path_unknown',
  ],
  [
    'the path userName/../id',
    operations({ op: 'replace', path: 'userName/../id', value: 'x' }),
    '400 invalidPath path_syntax',
  ],
  [
    'an unknown attribute',
    operations({ op: 'replace', path: 'unknownAttr', value: 'x' }),
    '400 invalidPath path_unknown',
  ],
  ['an unknown URN', operations({ op: 'replace', path: 'urn:unknown:x', value: 'x' }), '400 invalidPath path_unknown'],
  [
    'a filter that matches nothing',
    operations({ op: 'replace', path: 'emails[type eq "none"].value', value: 'x' }),
    '400 noTarget path_no_match',
  ],
  [
    'an index in its path',
    operations({ op: 'replace', path: 'userName[0]', value: 'x' }),
    '400 invalidPath path_syntax',
  ],
  [
    'an index after a dot in its path',
    operations({ op: 'replace', path: 'emails.0.value', value: 'x' }),
    '400 invalidPath path_syntax',
  ],
  [
    'the string "false " for a boolean',
    operations({ op: 'replace', path: 'active', value: 'false ' }),
    '400 invalidValue value_type',
  ],
  ['0 for a boolean', operations({ op: 'replace', path: 'active', value: 0 }), '400 invalidValue value_type'],
  [
    'the string "no" for a boolean',
    operations({ op: 'replace', path: 'active', value: 'no' }),
    '400 invalidValue value_type',
  ],
  [
    'an empty list for a boolean',
    operations({ op: 'replace', path: 'active', value: [] }),
    '400 invalidValue value_type',
  ],
  [
    'a second operation that fails',
    operations({ op: 'replace', path: 'active', value: false }, { op: 'replace', path: 'nothing', value: 1 }),
    '400 invalidPath path_unknown',
  ],
  [
    '100 values and one more',
    operations(
      { op: 'replace', path: 'emails', value: Array.from({ length: 100 }, (_, index) => ({ value: `${index}` })) },
      { op: 'add', path: 'emails', value: { value: 'one more' } },
    ),
    '400 invalidValue value_too_many',
  ],
  [
    'a value of 64 KiB',
    operations({ op: 'replace', path: 'displayName', value: 'x'.repeat(65_536) }),
    '400 invalidValue value_too_long',
  ],
  [
    'a value of depth 1,000',
    operations({ op: 'replace', path: 'displayName', value: parseJson(nested(1000)) }),
    '400 invalidSyntax body_too_deep',
  ],
  [
    '__proto__ after the manager',
    operations({ op: 'replace', path: `${enterprise}:manager.value.__proto__`, value: 'x' }),
    '400 invalidPath path_syntax',
  ],
  [
    'constructor in the extension',
    operations({ op: 'replace', path: `${enterprise}:constructor`, value: 'x' }),
    '400 invalidPath path_unknown',
  ],
])('refuses a PATCH with %s (RFC 7644 §3.5.2)', (_, body, expected) => {
  for (const tolerances of bothProfiles) {
    expectPrototypesUntouched(() => {
      expect(summarizeRefusal(() => send(body, tolerances))).toBe(expected)
    })
    expect(JSON.stringify(renderScimError(refusalOf(() => send(body, tolerances)))).length).toBeLessThan(500)
  }
})

test.each<[string, JsonValue, Tolerances, JsonObject]>([
  ['the operation Add', { op: 'Add', path: 'title', value: 'x' }, generalTolerances, { title: 'x' }],
  ['the operation REPLACE', { op: 'REPLACE', path: 'title', value: 'x' }, generalTolerances, { title: 'x' }],
  [
    'a replace that adds the selected value, for Entra',
    { op: 'replace', path: 'ims[type eq "none"].value', value: 'x' },
    entraTolerances,
    { ims: [{ type: 'none', value: 'x' }] },
  ],
  [
    'a replace of active with the string "False"',
    { op: 'replace', path: 'active', value: 'False' },
    generalTolerances,
    { active: false },
  ],
  [
    'the removal of one of three values',
    { op: 'remove', path: 'emails[value eq "a"]' },
    strictTolerances,
    { emails: [{ value: 'b', type: 'home' }, { value: 'c' }] },
  ],
  [
    'an add whose path is the URN of the manager',
    { op: 'add', path: `${enterprise}:manager`, value: { value: 'u9' } },
    strictTolerances,
    { schemas: [core, enterprise], [enterprise]: { manager: { value: 'u9' } } },
  ],
])('applies %s (RFC 7644 §3.5.2)', (_, operation, tolerances, expected) => {
  const { resource, changed } = send(operations(operation), tolerances)

  expect(changed).toBe(true)
  expect(JSON.parse(JSON.stringify(resource))).toEqual({ ...alice, ...expected })
})

test('adding an existing value changes nothing (RFC 7644 §3.5.2.1)', () => {
  const { resource, changed } = send(
    operations({ op: 'add', path: 'emails', value: [{ value: 'a', type: 'work' }] }),
    strictTolerances,
  )

  expect(changed).toBe(false)
  expect(resource).toBe(alice)
})

test('hostile keys in a value change no prototype and are not stored (RFC 7644 §3.5.2)', () => {
  const value = JSON.parse(
    `{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"name":{"__proto__":{"isAdmin":true},"givenName":"A"},
      "${enterprise}":{"__proto__":{"isAdmin":true},"department":"Ops"},"title":"x"}`,
  ) as JsonObject

  expectPrototypesUntouched(() => {
    expect(summarizeRefusal(() => send(operations({ op: 'add', value }), strictTolerances))).toBe(
      '400 invalidSyntax attribute_unknown',
    )

    const { resource } = send(operations({ op: 'add', value }), generalTolerances)

    expect(JSON.parse(JSON.stringify(resource))).toEqual({
      ...alice,
      schemas: [core, enterprise],
      name: { givenName: 'A' },
      title: 'x',
      [enterprise]: { department: 'Ops' },
    })
    expect(resource).not.toHaveProperty('isAdmin')
  })
})

test.each(['__proto__.isAdmin', 'constructor.prototype.isAdmin', 'name.__proto__.isAdmin', `${enterprise}:__proto__`])(
  'ignores the key %s, which is a path to a prototype, as any unknown name (RFC 7644 §3.3)',
  (key) => {
    const value = JSON.parse(`{${JSON.stringify(key)}:{"isAdmin":true}}`) as JsonObject
    expectPrototypesUntouched(() => {
      const { changed, applied } = send(operations({ op: 'add', value }), generalTolerances)
      expect([changed, applied]).toEqual([false, [{ tolerance: 'unknown-attributes', count: 1 }]])
    })
  },
)

test('refuses a key that is a path to the prototype of a value (RFC 7644 §3.5.2)', () => {
  const value = JSON.parse('{"emails[type eq \\"work\\"].__proto__":{"isAdmin":true}}') as JsonObject
  expectPrototypesUntouched(() => {
    expect(summarizeRefusal(() => send(operations({ op: 'add', value }), generalTolerances))).toBe(
      '400 invalidPath path_syntax',
    )
  })
})

const put = (body: JsonObject) =>
  replaceResource(
    alice,
    parseResource({ schemas: [core], ...body }, createParseContext(userResourceType, generalTolerances)).resource,
    userResourceType,
  ).resource

test('PUT ignores a different id and meta (RFC 7644 §3.5.1)', () => {
  expect(put({ id: 'usr_2', userName: 'a', meta: { version: 'x' } })).toMatchObject({
    id: 'usr_1',
    meta: { resourceType: 'User' },
  })
})
