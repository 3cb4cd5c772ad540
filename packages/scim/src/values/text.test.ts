import { epochSeconds } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { foldCase, formatInstant, isAllowedText, parseInstant } from './text.ts'

test.each([
  ['KIM', 'kim', true],
  ['\u00e9', 'e\u0301', true],
  ['\u00c9', 'e\u0301', true],
  ['\uff41lice', 'Alice', true],
  ['\u212a', 'k', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['ΟΔΟΣx', 'οδοσx', true],
  ['\u00df', 'ss', false],
  ['\u0130', 'i', false],
  ['\ufb01', 'fi', false],
])('%j and %j are equal after folding: %j (RFC 8265 §3.3)', (one, other, same) => {
  expect(foldCase(one) === foldCase(other)).toBe(same)
})

test('law: folding is idempotent', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => foldCase(foldCase(text)) === foldCase(text)))
})

test.each([
  ['2011-05-13T04:42:34Z', Date.UTC(2011, 4, 13, 4, 42, 34)],
  ['2011-05-13T04:42:34.1234567+02:00', Date.UTC(2011, 4, 13, 2, 42, 34, 123)],
  ['2024-02-29T00:00:00-00:30', Date.UTC(2024, 1, 29, 0, 30)],
  ['2023-02-29T00:00:00Z', undefined],
  ['2011-05-13', undefined],
  ['2011-05-13T04:42:34', undefined],
  ['2011-05-13 04:42:34Z', undefined],
  ['2011-05-13T25:42:34Z', undefined],
  ['2011-13-13T04:42:34Z', undefined],
  [`2011-05-13T04:42:34.${'1'.repeat(50)}Z`, undefined],
])('parses the dateTime %s (RFC 7643 §2.3.5)', (text, instant) => {
  expect(parseInstant(text)).toBe(instant)
})

test.each([
  ['kim@x.test', 'line lines identifier'],
  ['Kim Lee', 'line lines identifier'],
  ['李明', 'line lines identifier'],
  ['1 Road\r\nOslo', 'lines'],
  ['a\u2028b', 'lines'],
  ['a\0b', ''],
  ['a\u001bb', ''],
  ['a\ud800b', ''],
  ['a\u202eb', 'line lines'],
  ['a\u200bb', 'line lines'],
  ['a\u00adb', 'line lines'],
  ['a\u3164b', 'line lines'],
  ['\ufb01', 'line lines'],
  ['a\u00a0b', 'line lines'],
  [' a', 'line lines'],
])('%j is allowed by the text rules %j (RFC 8264 §9)', (text, rules) => {
  expect((['line', 'lines', 'identifier'] as const).filter((rule) => isAllowedText(text, rule)).join(' ')).toBe(rules)
})

test('law: formats an instant as Date.prototype.toISOString does', () => {
  const aSecond = fc.oneof(
    fc.integer({ min: -100_000_000_000, max: 300_000_000_000 }),
    fc.integer({ min: 0, max: 4_000_000_000 }),
  )
  fc.assert(
    fc.property(aSecond, (second) => {
      expect(formatInstant(epochSeconds(second))).toBe(new Date(second * 1000).toISOString())
    }),
  )
})
