import { Late } from './in-time.ts'

/** A `Pool` of `pg`, or what behaves like one. */
export interface PostgresPool {
  connect(taken: (error: Error | undefined, client: PostgresClient | undefined) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** What is used of a connection of `pg`. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>
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
  /** Each row is the list of its values, and no object by the names of its columns. */
  readonly rowMode?: 'array'
}

export interface PostgresResult {
  readonly fields: readonly { readonly name: string }[]
  readonly rows: readonly unknown[]
}

/**
 * Takes a connection. The server may end it in the same breath in which it is made: it is listened to from the first
 * moment, which a promise would miss.
 * @param timeoutMilliseconds how long to wait for it; one that comes later goes back.
 * @throws what the pool gives, or `Late`.
 */
export function takeConnection(pool: PostgresPool, timeoutMilliseconds?: number): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const alarm = (): void => {
      isLate = true
      reject(new Late())
    }
    const timer = timeoutMilliseconds === undefined ? undefined : setTimeout(alarm, timeoutMilliseconds)

    pool.connect((error, client) => {
      clearTimeout(timer)
      client?.on('error', heardElsewhere)
      if (client === undefined) reject(error ?? new Error('There is no connection'))
      else if (isLate) giveBack(client, { isSound: true })
      else resolve(client)
    })
  })
}

/** Gives a connection back; one that is not sound is ended. */
export function giveBack(client: PostgresClient, { isSound }: { readonly isSound: boolean }): void {
  client.off('error', heardElsewhere)
  client.release(!isSound)
}

/**
 * Unheard, an `error` event would end the process. Of a connection in use the statement tells that it broke, of an idle
 * one nothing needs to be told: the pool makes another.
 */
export function heardElsewhere(): void {}
