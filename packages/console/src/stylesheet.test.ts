import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { consoleStyle, consoleStyleHash } from './stylesheet.ts'

test('the hash in the policy is the hash of the style (CSP 3 §2.3.1)', () => {
  expect(consoleStyleHash).toBe(`sha256-${createHash('sha256').update(consoleStyle).digest('base64')}`)
})

test('the style loads nothing, cannot close its element, and uses only logical directions', () => {
  expect(consoleStyle).not.toMatch(/url\(|@import|<|\r/)
  expect(consoleStyle).not.toMatch(/-(?:left|right)\b|\b(?:left|right)\s*:|:\s*(?:left|right)\b/)
})
