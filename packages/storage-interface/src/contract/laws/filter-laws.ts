import { attribute, multiValued, text, number, boolean, present, element, not, and, or } from '../filters.ts'
import type { ResolvedFilter } from '../../filter/resolved-filter.ts'
import type { JsonObject } from '../../values.ts'
import type { ScimStorage } from '../../storage.ts'
import { type StorageLaw, law } from '../law.ts'
import { expectMatches } from '../provisioning-fixtures.ts'

/** A list with a filter returns exactly the resources for which `matchesFilter` returns true (RFC 7644 §3.4.2.2). */
export const listFilterLaws: readonly StorageLaw<ScimStorage>[] = [
  law('filters: strings are compared exactly, in the order of code points', (trial) => {
    const orders = (['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const).flatMap((operator) =>
      ['', 'a', 'ada', 'A', 'é', 'e\u0301', '10', '\uFFFD', '😀'].map((value) => text('nickName', operator, value)),
    )
    return expectMatches(trial, nickNamed, orders)
  }),

  law('filters: parts of strings are matched exactly', (trial) => {
    const parts = (['co', 'sw', 'ew'] as const).flatMap((operator) =>
      ['', 'a', 'ad', 'A', '%', '_', 'a%', '\\', "'", '"', '\u0301', '字', '?', '*', '. '].map((value) =>
        text('nickName', operator, value),
      ),
    )
    return expectMatches(trial, nickNamed, parts)
  }),

  law('filters: numbers are compared as numbers', (trial) => {
    const values = [0, -1, 1, 1.5, 9, 10, 0.1, 1e-7, 9_007_199_254_740_991, 1_800_000_000_000, -0.5]
    const filters = (['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const).flatMap((operator) =>
      values.map((value) => number('level', operator, value)),
    )
    return expectMatches(trial, [{}, ...values.map((level) => ({ level }))], filters)
  }),

  law('filters: booleans are compared for equality', (trial) => {
    const filters = ([true, false] as const).flatMap((value) => [
      boolean('member', 'eq', value),
      boolean('member', 'ne', value),
    ])
    return expectMatches(trial, [{ member: true }, { member: false }, {}], filters)
  }),

  law('filters: an attribute is present if one of its values or sub-attributes is not empty', (trial) => {
    const values = [
      'x',
      '',
      0,
      false,
      true,
      [],
      [''],
      ['', 'x'],
      {},
      { a: '' },
      { a: { b: 'x' } },
      [{ a: '' }],
      [{ a: '', b: 0 }],
    ]
    const filters = [
      present('thing'),
      not(present('thing')),
      present('thing.a'),
      present(multiValued('thing')),
      present('userName'),
    ]
    return expectMatches(trial, [{}, ...values.map((thing) => ({ thing }))], filters)
  }),

  law('filters: attributes with the same name at different levels are distinguished', (trial) => {
    const department = attribute('department', enterprise)
    const manager = attribute('manager.value', enterprise)
    const filters = [
      ...(['eq', 'ne', 'co', 'gt'] as const).flatMap((operator) => [
        text('name.familyName', operator, 'x'),
        text('familyName', operator, 'x'),
        text(department, operator, 'x'),
        text('department', operator, 'x'),
        text(manager, operator, 'x'),
      ]),
      ...[department, manager, attribute('name.familyName'), attribute('manager', enterprise)].map(present),
      // The store adds `meta` with the times to every resource, but not to its extensions.
      ...[attribute('meta'), attribute('meta.version'), attribute('meta', enterprise)].map(present),
    ]
    return expectMatches(trial, structured, filters)
  }),

  law('filters: an attribute with several values matches if one of them does', (trial) => {
    const people = [
      {},
      { tags: [] },
      { tags: ['a'] },
      { tags: ['a', 'b'] },
      { tags: ['ab'] },
      { tags: ['b'] },
      { scores: [1, 5] },
    ]
    const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'co', 'sw', 'ew'] as const
    const texts = operators.flatMap((operator) => [
      text(multiValued('tags'), operator, 'a'),
      not(text(multiValued('tags'), operator, 'a')),
    ])
    const numbers = (['eq', 'ne', 'gt', 'lt'] as const).map((operator) => number(multiValued('scores'), operator, 3))
    // Different values may match the two parts of an `and`.
    const both = and(text(multiValued('tags'), 'eq', 'a'), text(multiValued('tags'), 'eq', 'b'))
    return expectMatches(trial, people, [...texts, ...numbers, number(multiValued('scores'), 'eq', 5), both])
  }),

  law('filters: one value must satisfy the whole condition of a value path', (trial) => {
    const work = text('type', 'eq', 'work')
    const ada = text('value', 'eq', 'ada@example.com')
    const inside: readonly ResolvedFilter[] = [
      work,
      and(work, ada),
      or(work, ada),
      not(work),
      not(and(work, ada)),
      and(work, not(boolean('primary', 'eq', true))),
      text('value', 'ne', 'ada@example.com'),
      text('value', 'co', '@other'),
      present('type'),
      not(present('display')),
      and(boolean('primary', 'eq', true), or(text('type', 'eq', 'home'), text('value', 'sw', 'grace'))),
    ]
    const paths = inside.map((where) => element('emails', where))
    const outside = [
      and(...paths.slice(0, 2)),
      not(element('emails', work)),
      or(not(present(multiValued('emails'))), paths[6] ?? work),
    ]
    return expectMatches(trial, withEmails, [...paths, ...outside])
  }),

  law('filters: and, or and not combine filters of any number and depth', (trial) => {
    const [a, b, c] = [text('nickName', 'co', 'a'), text('nickName', 'co', 'b'), present('nickName')]
    const deep = Array.from({ length: 20 }).reduce<ResolvedFilter>((filter) => not(or(filter, and(c, b))), a)
    const names = Array.from({ length: 200 }, (_, index) =>
      text('userName', 'eq', `name-${String(index * 3).padStart(2, '0')}`),
    )
    const filters = [
      and(a, b),
      or(a, b),
      not(a),
      not(and(a, b)),
      not(or(a, b)),
      or(a, and(b, not(c))),
      and(or(a, not(c)), not(not(b))),
      deep,
      or(...names),
      and(or(...names), or(a, ...names.slice(0, 3))),
      not(or(...names)),
      or(text('nickName', 'eq', 'ada'), text('nickName', 'eq', 'bad'), text('userName', 'eq', 'name-00'), not(c)),
    ]
    return expectMatches(trial, nickNamed, filters)
  }),

  law('filters: if value and filter differ in type, a list matches as matchesFilter does', (trial) => {
    const values = [
      1,
      '1',
      true,
      'true',
      [],
      ['1', 1, true],
      [[1]],
      {},
      { value: '1' },
      [{ value: '1' }],
      '',
      0,
      false,
      '{',
      null,
    ]
    const people: readonly JsonObject[] = [{}, ...values.map((thing) => ({ thing }))]
    const attributes = ['thing', 'thing.value'].map((path) => attribute(path))
    const filters = [...attributes, multiValued('thing')].flatMap((about) => [
      ...(['eq', 'ne', 'lt', 'ge'] as const).flatMap((operator) => [
        text(about, operator, '1'),
        number(about, operator, 1),
      ]),
      ...(['co', 'sw', 'ew'] as const).map((operator) => text(about, operator, '1')),
      boolean(about, 'eq', true),
      boolean(about, 'ne', true),
      present(about),
    ])
    const paths = [element('thing', text('value', 'eq', '1')), element('thing', not(text('value', 'eq', '1')))]
    return expectMatches(trial, people, [...filters, ...paths])
  }),
]

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const nickNames = [
  'ada',
  'Ada',
  'adam',
  'bad',
  'a%b',
  'a_b',
  'axb',
  'a\\b',
  "o'neil",
  '"a"',
  '',
  'é',
  'e\u0301',
  '😀',
  '\uFFFD',
  '漢字',
]
const nickNamed: readonly JsonObject[] = [
  {},
  ...[...nickNames, 'z', '1', '10', '9', 'null', ' ada', 'ada ', 'a*b?', 'ab. '].map((nickName) => ({ nickName })),
]

const structured: readonly JsonObject[] = [
  {},
  { name: { familyName: 'x' } },
  { name: { givenName: 'x' }, familyName: 'x' },
  { name: {}, department: 'x' },
  { 'name.familyName': 'x' },
  { [enterprise]: { department: 'x', manager: { value: 'x' } } },
  { [enterprise]: { department: 'y', manager: { displayName: 'x' } } },
  { [enterprise]: {} },
  { [enterprise]: { manager: { value: '' } }, manager: { value: 'x' } },
  { [enterprise]: { meta: 'x' } },
]

const withEmails: readonly JsonObject[] = [
  {},
  { emails: [] },
  { emails: [{ value: 'ada@example.com', type: 'work', primary: true }] },
  {
    emails: [
      { value: 'ada@example.com', type: 'home' },
      { value: 'ada@other.example', type: 'work' },
    ],
  },
  { emails: [{ value: 'ada@other.example', type: 'work', primary: false }] },
  { emails: [{ value: 'grace@example.com', primary: true, display: 'Grace' }] },
  {
    emails: [
      { value: 'grace@example.com', type: 'home' },
      { type: 'home', primary: true },
    ],
  },
  { emails: [{}] },
]
