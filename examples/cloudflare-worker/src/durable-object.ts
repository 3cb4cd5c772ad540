/** What is used here of a Durable Object's state: its own SQLite database, and time to open it. */
export interface DurableObjectState {
  readonly storage: {
    readonly sql: { exec(statement: string, ...values: unknown[]): { toArray(): Record<string, unknown>[] } }
    /** Runs the closure in one transaction; what it throws undoes it. */
    transactionSync<T>(closure: () => T): T
  }
  /** Lets no request in until the promise is settled. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>
}

export interface DurableObjectNamespace {
  getByName(name: string): { fetch(request: Request): Promise<Response> }
}
