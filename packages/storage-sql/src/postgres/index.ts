export type { PostgresPool } from './connection.ts'
export { postgres } from './engine.ts'
export { toPostgresDialect } from './dialect.ts'
export { withinTransaction } from './within-transaction.ts'
