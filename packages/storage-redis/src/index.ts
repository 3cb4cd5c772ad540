export { createRedisStorage } from './redis-storage.ts'
export type { RedisStorageOptions } from './redis-storage.ts'
export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.ts'
