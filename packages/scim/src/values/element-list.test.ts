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
  ['a simple value', ['x'], [{ value: 'X', note: 'n' }], ['x']],
  ['an object', [{ value: 'x' }], ['X'], [{ value: 'x' }]],
])('%s that was stored is kept as it is when the other kind of value is added', (_, existing, added, list) => {
  expect(addElements(tags, existing, added)).toEqual(list)
})

test('an object that was stored takes the parts of the one that is added (RFC 7644 §3.5.2.1)', () => {
  expect(addElements(tags, [{ value: 'x' }], [{ value: 'x', note: 'n' }, { value: 'y' }])).toEqual([
    { value: 'x', note: 'n' },
    { value: 'y' },
  ])
})
