export { createRedisStorage } from './create-redis-stores.ts'
export type { RedisStorageOptions } from './create-redis-stores.ts'
export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.ts'
