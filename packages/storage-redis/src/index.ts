export { createRedisStorage } from './redis-storage.ts'
export type { NodeRedisClient, RedisClient } from './redis-client.ts'
