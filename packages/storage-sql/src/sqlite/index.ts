export { sqlite } from './engine.ts'
export { openSqliteDialect } from './dialect.ts'
