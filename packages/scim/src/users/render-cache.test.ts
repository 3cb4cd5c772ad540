import { runAtOnce } from '@mintmark/internal'
import { groupId } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { userVersion } from './render-cache.ts'

const groups = Array.from({ length: 5000 }, (_, index) => ({
  groupId: groupId(`g${index}`),
  displayName: `${index} `.padEnd(1024, 'x'),
}))

test('computes the version of a user in pieces of 50 groups (RFC 7644 §3.14)', () => {
  expect([...userVersion({ version: 1, groups })].length).toBeGreaterThanOrEqual(100)
})

test('computes the same versions as earlier releases (RFC 7644 §3.14)', () => {
  const two = ['A', 'B'].map((displayName) => ({ groupId: groupId(displayName.toLowerCase()), displayName }))

  expect(runAtOnce(userVersion({ version: 3, groups: two }))).toBe('W/"3.rzt5ed"')
  expect(runAtOnce(userVersion({ version: 3, groups: [] }))).toBe('W/"3"')
})
