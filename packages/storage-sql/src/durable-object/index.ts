export { toDurableObjectDialect } from './dialect.ts'
