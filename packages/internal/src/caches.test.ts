import { expect, test } from 'vitest'
import { cacheLatest, createRecentMap } from './caches.ts'

test('keeps the most recently used values in a map, and no value whose key is too long', () => {
  const map = createRecentMap<object>({ limit: 2, maxKeyLength: 3 })
  const make = () => ({})
  const [a, b] = [map.get('a', make), map.get('b', make)]
  const long = map.get('long', make)

  expect(map.get('a', make)).toBe(a)
  expect(map.get('long', make)).not.toBe(long)
  expect(map.get('c', make)).not.toBe(a)
  expect(map.get('a', make)).toBe(a)
  expect(map.get('b', make)).not.toBe(b)
})

test('caches the result for the latest key, and shares work that runs', async () => {
  const keys: number[] = []
  const read = cacheLatest(async (key: number) => keys.push(key))

  expect(await Promise.all([read(1), read(1)])).toEqual([1, 1])
  expect(await read(2)).toBe(2)
  expect(await read(1)).toBe(3)
  expect(keys).toEqual([1, 2, 1])
})

test('does not cache a failure', async () => {
  const outcomes = [Promise.reject(new Error('unavailable')), Promise.resolve('read')]
  const read = cacheLatest(() => outcomes.shift() ?? Promise.resolve('read again'))

  await expect(read()).rejects.toThrow('unavailable')
  expect([await read(), await read()]).toEqual(['read', 'read'])
})
