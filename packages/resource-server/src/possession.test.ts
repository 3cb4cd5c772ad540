import { expect, test } from 'vitest'

import { createMemoryReplays } from './possession.ts'

test('accepts a proof once until it expires (RFC 9449 §11.1)', async () => {
  let now = 0
  const replays = createMemoryReplays(() => now)

  expect(await replays.markUsed('a', 10)).toBe(true)
  now = 9
  expect(await replays.markUsed('a', 19)).toBe(false)
  now = 10
  expect(await replays.markUsed('a', 20)).toBe(true)
  now = 19
  expect(await replays.markUsed('a', 29)).toBe(false)
})

test('rejects a used proof when the clock is set back, after other proofs were used (RFC 9449 §11.1)', async () => {
  let now = 50
  const replays = createMemoryReplays(() => now)
  await replays.markUsed('a', 100)
  now = 150
  await replays.markUsed('b', 300)

  now = 60

  expect(await replays.markUsed('a', 100)).toBe(false)
  expect(await replays.markUsed('b', 300)).toBe(false)
})

test('remembers the latest 100,000 proofs (RFC 9449 §11.1)', async () => {
  const replays = createMemoryReplays(() => 0)
  const latest = 100_000
  for (let count = 0; count <= latest; count += 1) await replays.markUsed(`proof ${count}`, 1)

  expect(await replays.markUsed('proof 1', 1)).toBe(false)
  expect(await replays.markUsed('proof 0', 1)).toBe(true)
  expect(await replays.markUsed('proof 1', 1)).toBe(true)
})
