import { expect, test } from 'vitest'
import * as storageRedis from './index.ts'

test('the public names of @mintmark/storage-redis', () => {
  expect(Object.keys(storageRedis)).toEqual(['createRedisStores'])
})
