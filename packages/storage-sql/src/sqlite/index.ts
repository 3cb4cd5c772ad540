export { sqlite } from './engine.ts'
export { openSqliteDialect } from './dialect.ts'
export type { SqliteDialectOptions } from './dialect.ts'
