import { epochSeconds } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { createFetchCache, type Fetched } from './fetch-cache.ts'

const url = 'https://app.test/a'
const at = epochSeconds
const fetched = (value: string, keepFor = 60) => ({ value, keepFor })

/** Creates a cache. The test answers its fetches later, in the order in which they began. */
function startCache(limit = 10) {
  const read = createFetchCache<string>(limit)
  const begun: { readonly url: string; readonly expired: string | undefined }[] = []
  const waiting: ((answer: Promise<Fetched<string>>) => void)[] = []
  return {
    begun,
    read: (now: number, from = url) =>
      read(from, at(now), (expired) => {
        begun.push({ url: from, expired })
        return new Promise((resolve) => waiting.push(resolve))
      }),
    answer: (answer: Fetched<string>) => waiting.shift()?.(Promise.resolve(answer)),
    fail: () => waiting.shift()?.(Promise.reject(new Error('unreachable'))),
  }
}

it('fetches a URL once for simultaneous reads', async () => {
  const cache = startCache()

  const reads = [cache.read(0), cache.read(0), cache.read(1)]
  cache.answer(fetched('one'))

  expect(await Promise.all(reads)).toEqual(['one', 'one', 'one'])
  expect(cache.begun).toHaveLength(1)
})

it('keeps a value until it expires, and then passes it to the next fetch', async () => {
  const cache = startCache()
  const first = cache.read(0)
  cache.answer(fetched('one'))
  await first

  expect(await cache.read(59)).toBe('one')
  const second = cache.read(60)
  cache.answer(fetched('two'))

  expect(await second).toBe('two')
  expect(cache.begun).toEqual([
    { url, expired: undefined },
    { url, expired: 'one' },
  ])
})

it('keeps the earlier value when the new value must not be cached', async () => {
  const cache = startCache()
  const reads = [cache.read(0)]
  cache.answer(fetched('one'))
  await reads[0]
  const refused = cache.read(60)
  cache.answer(fetched('refused', 0))
  expect(await refused).toBe('refused')

  void cache.read(61)

  expect(cache.begun.at(-1)).toEqual({ url, expired: 'one' })
})

it('fetches again after a failure', async () => {
  const cache = startCache()
  const failed = cache.read(0)
  cache.fail()
  await expect(failed).rejects.toThrow('unreachable')

  const again = cache.read(0)
  cache.answer(fetched('one'))

  expect(await again).toBe('one')
})

it('removes the oldest value when the cache is full', async () => {
  const cache = startCache(2)
  for (const from of ['a', 'b', 'c']) {
    const read = cache.read(0, from)
    cache.answer(fetched(from))
    await read
  }

  expect(await cache.read(0, 'c')).toBe('c')
  expect(await cache.read(0, 'b')).toBe('b')
  void cache.read(0, 'a')
  expect(cache.begun.at(-1)?.url).toBe('a')
})
