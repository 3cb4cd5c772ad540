import { test } from 'vitest'
import { compareText } from './matches-filter.ts'
import fc from 'fast-check'

test('law: compareText orders strings as their UTF-8 bytes are ordered', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'b', '\ufffd', '\ue000', '😀', 'é'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  })

  fc.assert(
    fc.property(
      text,
      text,
      (one, other) =>
        Math.sign(compareText(one, other)) === Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other))),
    ),
  )
})
