export { sqlite } from './engine.ts'
export { openSqliteDialect } from './dialect.ts'
export type { SqliteFileOptions } from './dialect.ts'
