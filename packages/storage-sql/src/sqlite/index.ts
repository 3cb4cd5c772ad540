export { sqlite } from './sqlite-engine.ts'
export { openSqliteDialect } from './sqlite-file.ts'
export type { SqliteFileOptions } from './sqlite-file.ts'
