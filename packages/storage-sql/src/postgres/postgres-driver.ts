import type { SqlRow } from '../dialect.ts'

/** A `Pool` of `pg`, or what behaves like one. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** What is used of a connection of `pg`. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<{ readonly rows: SqlRow[] }>
  /** `true` ends the connection instead of giving it back. */
  release(end?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export interface PostgresStatement {
  /** Statements of one name are prepared once for each connection. */
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
}

/**
 * Unheard, an `error` event would end the process. Of a connection in use the statement tells that it broke, of an idle
 * one nothing needs to be told: the pool makes another.
 */
export function heardElsewhere(): void {}
