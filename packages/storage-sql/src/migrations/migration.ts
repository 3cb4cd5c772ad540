import type { SqlEngine } from '../dialect.ts'

/** One step of the schema. Once released it never changes: databases remember the checksum of what they ran. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number
  /** As the file is called. */
  readonly name: string
  /** Statements without a closing semicolon, for the engine's types. */
  readonly statements: (types: SqlEngine['types']) => readonly string[]
}
