export { createRedisStores } from './create-redis-stores.ts'
export type { RedisStoresOptions } from './create-redis-stores.ts'
export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.ts'
