import type { SqlEngine } from '../dialect.ts'

/**
 * One step of the schema. It never changes once released: databases store the checksum of the statements that they ran.
 */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number
  /** The name of the file. */
  readonly name: string
  /** Statements without a closing semicolon, in the engine's types. */
  readonly statements: (types: SqlEngine['types']) => readonly string[]
}
