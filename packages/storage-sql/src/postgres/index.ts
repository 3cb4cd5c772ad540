export type { PostgresClient, PostgresPool, PostgresStatement } from './postgres-driver.ts'
export { postgres } from './postgres-engine.ts'
export { toPostgresDialect } from './postgres-pool.ts'
export type { PostgresPoolOptions } from './postgres-pool.ts'
