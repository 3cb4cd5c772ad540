import { expect, test } from 'vitest'
import { createTextIndex, idsWithText, addText, removeText } from './provider-index.ts'
import fc from 'fast-check'

test('law: a text index finds the rows that were added under a string and not removed', () => {
  const step = fc.record({
    kind: fc.constantFrom('put', 'take'),
    text: fc.constantFrom('a', 'b'),
    id: fc.constantFrom('one', 'two', 'three'),
  })

  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const index = createTextIndex<string>()
      const expected = new Map([
        ['a', new Set<string>()],
        ['b', new Set<string>()],
      ])

      for (const { kind, text, id } of steps) {
        if (kind === 'put') addText(index, text, id)
        else removeText(index, text, id)
        expected.get(text)?.[kind === 'put' ? 'add' : 'delete'](id)
      }

      for (const [text, ids] of expected) expect(new Set(idsWithText(index, text))).toEqual(ids)
      expect(index.size).toBe([...expected.values()].filter((ids) => ids.size > 0).length)
    }),
  )
})
