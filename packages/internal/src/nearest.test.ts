import { expect, it } from 'vitest'

import { misspelledNameOf, nearestOf } from './nearest.ts'

it('returns the candidate with the most characters in common at both ends', () => {
  expect(nearestOf('https://app.test/cb/', ['https://other.test/cb', 'https://app.test/cb'])).toBe(
    'https://app.test/cb',
  )
  expect(nearestOf('anything', [])).toBeUndefined()
})

it.each([
  ['scope', 'scopes'],
  ['opnid', 'openid'],
  ['isuer', 'issuer'],
  ['colour', undefined],
])('takes %s for a misspelling of %s', (name, expected) => {
  expect(misspelledNameOf(name, ['scopes', 'openid', 'issuer'])).toBe(expected)
})
