import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'

import { durationText, parseCount, parseDuration } from './options.ts'

test.for([
  ['45s', 45],
  ['30m', 1800],
  ['24h', 86_400],
  ['7d', 604_800],
] as const)('parses %s as %i seconds', ([text, seconds]) => {
  expect(parseDuration(text)).toBe(seconds)
})

test.for(['', '5', 'h', '-1h', '1.5h', '1w', '1h ', '9999999d'])('rejects %j as a duration', (text) => {
  expect(() => parseDuration(text)).toThrow(InvalidArgumentError)
})

test.for(['', '0', '-1', '1e3', '1.5', 'NaN'])('rejects %j as a count', (text) => {
  expect(() => parseCount(text)).toThrow(InvalidArgumentError)
})

test.for([
  [0, '0s'],
  [59, '59s'],
  [3599, '59m'],
  [86_399, '23h'],
  [7_776_000, '90d'],
] as const)('formats %i seconds as %s', ([seconds, text]) => {
  expect(durationText(seconds)).toBe(text)
})
