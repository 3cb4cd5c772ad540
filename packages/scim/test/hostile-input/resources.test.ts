import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { userResourceType } from '../../src/index.ts'
import {
  createParseContext,
  generalTolerances,
  strictTolerances,
  type Tolerances,
} from '../../src/tolerance/tolerances.ts'
import { foldCase } from '../../src/values/text.ts'
import { parseResource } from '../../src/resource/parse-resource.ts'
import { functionCalls } from '../fixtures/function-calls.ts'
import { outcomeOf } from '../fixtures/outcome-of.ts'
import { prototypesUntouched } from '../fixtures/prototypes-untouched.ts'
import { refusedWith } from '../fixtures/refused.ts'

// Hostile users, handled by the engines.

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const create = (body: unknown, tolerances: Tolerances = generalTolerances) =>
  parseResource(body, createParseContext(userResourceType, tolerances)).resource
const user = (members: JsonObject): JsonObject => ({ schemas: [core], userName: 'alice@x', ...members })
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test.each<[string, unknown, string]>([
  ['null', null, '400 invalidSyntax body_malformed'],
  ['a list', [], '400 invalidSyntax body_malformed'],
  ['a text', 'x', '400 invalidSyntax body_malformed'],
  ['a number', 1, '400 invalidSyntax body_malformed'],
  [
    'depth 10,000',
    user({ x: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as JsonObject }),
    '400 invalidSyntax body_too_deep',
  ],
  ['a list of 1,000,000', user({ emails: Array.from({ length: 1_000_000 }, () => 1) }), '413 - body_too_large'],
  ['half a surrogate pair', user({ displayName: '\ud800' }), '400 invalidValue value_characters'],
  ['NUL in userName', user({ userName: 'a\0' }), '400 invalidValue value_characters'],
  ['no userName', { schemas: [core] }, '400 invalidValue value_required'],
  ['an empty userName', user({ userName: '' }), '400 invalidValue value_required'],
  ['a blank userName', user({ userName: '   ' }), '400 invalidValue value_characters'],
  ['null', user({ userName: null }), '400 invalidValue value_required'],
  ['userName of 1,025 characters', user({ userName: 'x'.repeat(1025) }), '400 invalidValue value_too_long'],
  ['a control character', user({ userName: 'a\u0001b' }), '400 invalidValue value_characters'],
  ['a bidi override', user({ userName: 'a\u202eb' }), '400 invalidValue value_characters'],
  ['a zero-width space', user({ userName: 'a\u200bb' }), '400 invalidValue value_characters'],
  ['a ligature', user({ userName: '\ufb01' }), '400 invalidValue value_characters'],
  ['emails as an object', user({ emails: { value: 'a' } }), '400 invalidValue value_type'],
  ['emails as a text', user({ emails: 'a' }), '400 invalidValue value_type'],
  [
    '21 e-mail addresses',
    user({ emails: Array.from({ length: 21 }, () => ({ value: 'a' })) }),
    '400 invalidValue value_too_many',
  ],
  [
    'two primary',
    user({
      emails: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    }),
    '400 invalidValue value_primary_twice',
  ],
  ['a number', user({ emails: [{ value: 5 }] }), '400 invalidValue value_type'],
  ['a header in an address', user({ emails: [{ value: 'a@b\r\nBcc: x' }] }), '400 invalidValue value_characters'],
  ['an extension as a list', user({ [enterprise]: [] }), '400 invalidValue value_type'],
  ['an extension as a text', user({ [enterprise]: 'x' }), '400 invalidValue value_type'],
])('refuses %s (RFC 7643 §2)', (_, body, expected) => {
  expect(refusedWith(() => create(body))).toBe(expected)
  expect(functionCalls(() => outcomeOf(() => create(body)))).toBeLessThan(1000)
})

test.each<[string, JsonObject, JsonObject]>([
  ['a URN twice, in two cases', { schemas: [core, core.toUpperCase()] }, {}],
  ['meta', { meta: { created: '1970', resourceType: 'Admin', location: 'https://evil', version: 'x' } }, {}],
  ['an externalId like an id', { externalId: '-1' }, { externalId: '-1' }],
  ['roles of other systems', { isAdmin: true, email_verified: true }, {}],
  ['active as text', { active: 'False' }, { active: false }],
  ['markup and formulas', { displayName: '<script>', title: '=cmd()' }, { displayName: '<script>', title: '=cmd()' }],
  ['names in another case', { USERNAME: 'k', Active: true }, { userName: 'k', active: true }],
])('accepts %s (RFC 7643 §3)', (_, members, expected) => {
  const body = 'USERNAME' in members ? { schemas: [core], ...members } : user(members)

  expect(plain(create(body))).toEqual({ schemas: [core], userName: 'alice@x', ...expected })
})

test('hostile names reach no prototype (RFC 7643 §2.1)', () => {
  const bodies = [
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"name":{"__proto__":{"isAdmin":true}}}',
    `{"${enterprise}":{"__proto__":{"isAdmin":true}}}`,
    '{"emails":[{"__proto__":{"isAdmin":true},"value":"a"}]}',
  ]
  for (const text of bodies) {
    const body = { ...user({}), ...(JSON.parse(text) as JsonObject) }
    Object.defineProperty(body, '__proto__', { value: { isAdmin: true }, enumerable: true })
    prototypesUntouched(() => {
      expect(refusedWith(() => create(body, strictTolerances))).toBe('400 invalidSyntax attribute_unknown')
      expect(JSON.stringify(create(body))).not.toContain('isAdmin')
      expect((create(body) as { isAdmin?: unknown }).isAdmin).toBeUndefined()
    })
  }
})

test.each([
  ['\u00e9', 'e\u0301', true],
  ['\uff41lice', 'alice', true],
  ['\u212a', 'k', true],
  ['\u00df', 'ss', false],
  ['\u0130', 'i', false],
])('%j and %j are the same userName: %j (RFC 8265 §3.3)', (one, other, same) => {
  expect(create(user({ userName: one }))['userName']).toBe(one)
  expect(foldCase(one) === foldCase(other)).toBe(same)
})
