import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { userResourceType } from '../../src/index.ts'
import { generalTolerances, strictTolerances, type Tolerances } from '../../src/tolerance/tolerances.ts'
import { foldCase } from '../../src/values/text.ts'
import { parseResource } from '../../src/resource/parse-resource.ts'
import { createParseContext } from '../../src/tolerance/tolerance-counter.ts'
import { functionCalls } from '../function-calls.ts'
import { outcomeOf } from '../outcome-of.ts'
import { prototypesUntouched } from '../prototypes-untouched.ts'
import { refusedWith } from '../refused.ts'

// Rows of the attack catalogue for creating users, as far as the engines answer them.

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const create = (body: unknown, tolerances: Tolerances = generalTolerances) =>
  parseResource(body, createParseContext(userResourceType, tolerances)).resource
const user = (members: JsonObject): JsonObject => ({ schemas: [core], userName: 'alice@x', ...members })
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test.each<[string, string, unknown, string]>([
  ['ATK-365', 'null', null, '400 invalidSyntax body_malformed'],
  ['ATK-365', 'a list', [], '400 invalidSyntax body_malformed'],
  ['ATK-365', 'a text', 'x', '400 invalidSyntax body_malformed'],
  ['ATK-365', 'a number', 1, '400 invalidSyntax body_malformed'],
  [
    'ATK-367',
    'depth 10,000',
    user({ x: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as JsonObject }),
    '400 invalidSyntax body_too_deep',
  ],
  [
    'ATK-367',
    'a list of 1,000,000',
    user({ emails: Array.from({ length: 1_000_000 }, () => 1) }),
    '413 - body_too_large',
  ],
  ['ATK-368', 'half a surrogate pair', user({ displayName: '\ud800' }), '400 invalidValue value_characters'],
  ['ATK-368', 'NUL in userName', user({ userName: 'a\0' }), '400 invalidValue value_characters'],
  ['ATK-374', 'no userName', { schemas: [core] }, '400 invalidValue value_required'],
  ['ATK-374', 'an empty userName', user({ userName: '' }), '400 invalidValue value_required'],
  ['ATK-374', 'a blank userName', user({ userName: '   ' }), '400 invalidValue value_characters'],
  ['ATK-374', 'null', user({ userName: null }), '400 invalidValue value_required'],
  ['ATK-376', 'userName of 1,025 characters', user({ userName: 'x'.repeat(1025) }), '400 invalidValue value_too_long'],
  ['ATK-377', 'a control character', user({ userName: 'a\u0001b' }), '400 invalidValue value_characters'],
  ['ATK-377', 'a bidi override', user({ userName: 'a\u202eb' }), '400 invalidValue value_characters'],
  ['ATK-377', 'a zero-width space', user({ userName: 'a\u200bb' }), '400 invalidValue value_characters'],
  ['ATK-380', 'a ligature', user({ userName: '\ufb01' }), '400 invalidValue value_characters'],
  ['ATK-394', 'emails as an object', user({ emails: { value: 'a' } }), '400 invalidValue value_type'],
  ['ATK-394', 'emails as a text', user({ emails: 'a' }), '400 invalidValue value_type'],
  [
    'ATK-394',
    '21 e-mail addresses',
    user({ emails: Array.from({ length: 21 }, () => ({ value: 'a' })) }),
    '400 invalidValue value_too_many',
  ],
  [
    'ATK-394',
    'two primary',
    user({
      emails: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    }),
    '400 invalidValue value_primary_twice',
  ],
  ['ATK-394', 'a number', user({ emails: [{ value: 5 }] }), '400 invalidValue value_type'],
  [
    'ATK-395',
    'a header in an address',
    user({ emails: [{ value: 'a@b\r\nBcc: x' }] }),
    '400 invalidValue value_characters',
  ],
  ['ATK-400', 'an extension as a list', user({ [enterprise]: [] }), '400 invalidValue value_type'],
  ['ATK-400', 'an extension as a text', user({ [enterprise]: 'x' }), '400 invalidValue value_type'],
])('%s (RFC 7643 §2): %s', (_, __, body, expected) => {
  expect(refusedWith(() => create(body))).toBe(expected)
  expect(functionCalls(() => outcomeOf(() => create(body)))).toBeLessThan(1000)
})

test.each<[string, JsonObject, JsonObject]>([
  ['ATK-373: a URN twice, in two cases', { schemas: [core, core.toUpperCase()] }, {}],
  ['ATK-385: meta', { meta: { created: '1970', resourceType: 'Admin', location: 'https://evil', version: 'x' } }, {}],
  ['ATK-386: an externalId like an id', { externalId: '-1' }, { externalId: '-1' }],
  ['ATK-391: roles of other systems', { isAdmin: true, email_verified: true }, {}],
  ['ATK-392: active in words', { active: 'False' }, { active: false }],
  [
    'ATK-397: markup and formulas',
    { displayName: '<script>', title: '=cmd()' },
    { displayName: '<script>', title: '=cmd()' },
  ],
  ['ATK-398: names in another case', { USERNAME: 'k', Active: true }, { userName: 'k', active: true }],
])('%s (RFC 7643 §3) is read', (_, members, expected) => {
  const body = 'USERNAME' in members ? { schemas: [core], ...members } : user(members)

  expect(plain(create(body))).toEqual({ schemas: [core], userName: 'alice@x', ...expected })
})

test('ATK-370, ATK-371 (RFC 7643 §2.1): hostile names reach no prototype', () => {
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
  ['ATK-379', '\u00e9', 'e\u0301', true],
  ['ATK-379', '\uff41lice', 'alice', true],
  ['ATK-380', '\u212a', 'k', true],
  ['ATK-380', '\u00df', 'ss', false],
  ['ATK-380', '\u0130', 'i', false],
])('%s (RFC 8265 §3.3): %j and %j are one userName: %j', (_, one, other, same) => {
  expect(create(user({ userName: one }))['userName']).toBe(one)
  expect(foldCase(one) === foldCase(other)).toBe(same)
})
