import { expect, test } from 'vitest'

import { defineAttribute } from '../schema/schema.ts'
import { addElements } from './element-list.ts'

const tags = defineAttribute({
  name: 'tags',
  type: 'complex',
  multiValued: true,
  subAttributes: [{ name: 'value' }, { name: 'note' }],
})

// A host may have stored its resources under an earlier schema, in which the values were simple.
test.each([
  ['simple value', ['x'], [{ value: 'X', note: 'n' }], ['x']],
  ['object', [{ value: 'x' }], ['X'], [{ value: 'x' }]],
])('keeps a stored %s unchanged when an equal value of the other kind is added', (_, existing, added, list) => {
  expect(addElements(tags, existing, added)).toEqual(list)
})

test('merges an added object into the stored object with the same value (RFC 7644 §3.5.2.1)', () => {
  expect(addElements(tags, [{ value: 'x' }], [{ value: 'x', note: 'n' }, { value: 'y' }])).toEqual([
    { value: 'x', note: 'n' },
    { value: 'y' },
  ])
})
