/** The parts of a Durable Object's state that are used here. The package `@cloudflare/workers-types` has all of them. */
export interface DurableObjectState {
  readonly storage: {
    readonly sql: { exec(statement: string, ...values: unknown[]): { toArray(): Record<string, unknown>[] } }
    /** Runs the closure in one transaction. An error rolls it back. */
    transactionSync<T>(closure: () => T): T
    /** In milliseconds since 1970; `null` without an alarm. */
    getAlarm(): Promise<number | null>
    setAlarm(at: number): Promise<void>
  }
  /** Delays requests until the promise is settled. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>
}

export interface DurableObjectNamespace {
  getByName(name: string): { fetch(request: Request): Promise<Response> }
}
