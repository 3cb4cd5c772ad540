export type { PostgresClient, PostgresPool, PostgresStatement } from './connection.ts'
export { postgres } from './engine.ts'
export { toPostgresDialect } from './dialect.ts'
export type { PostgresPoolOptions } from './dialect.ts'
