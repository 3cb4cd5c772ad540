export { sqlite } from './sqlite-engine.ts'
export { sqliteFile } from './sqlite-file.ts'
export type { SqliteFileOptions } from './sqlite-file.ts'
