export type { MariadbPool } from './connection.ts'
export { mariadb } from './engine.ts'
export { toMariadbDialect } from './dialect.ts'
