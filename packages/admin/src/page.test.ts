import { expect, test } from 'vitest'

import { pageLimit } from './page.ts'

test.each([
  [{}, 100],
  [{ limit: 1 }, 1],
  [{ limit: 200, after: 'x' }, 200],
])('the page request %j has the limit %d', (page, limit) => {
  expect(pageLimit(page)).toBe(limit)
})

test.each([0, -1, 201, 1.5, Number.NaN, Infinity])('refuses the page limit %d (RFC 9110 §15.5.1)', (limit) => {
  expect(() => pageLimit({ limit })).toThrow(expect.objectContaining({ reason: 'page_invalid' }))
})
