/** What a service answers when it refuses a request, and why. */
export interface RefusalRow {
  /** For operators and tests. Only a row that shares its reason with another row names it. */
  readonly reason?: string
  /** The HTTP status. Left out if it follows from the code. */
  readonly status?: number
  /** The error code that the caller receives. */
  readonly code?: string
  /** The fixed sentence that the caller receives. It contains nothing of the request. */
  readonly sentence?: string
  /** The section of the standard that requires the refusal. */
  readonly section: `${string} §${string}`
}

/**
 * Defines the table of the refusals of a service. The name of a row is its reason. If one reason has several responses,
 * each further response is a row with a name of its own, which names the reason.
 * @param rows a function, so that bundlers leave the table out of programs that do not use it.
 */
export function defineRefusals<const Rows extends Readonly<Record<string, RefusalRow>>>(
  rows: () => Rows,
): Refusals<Rows> {
  return Object.fromEntries(
    Object.entries(rows()).map(([name, row]) => [name, { reason: name, ...row }]),
  ) as unknown as Refusals<Rows>
}

type Refusals<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] & {
    readonly reason: Rows[Name] extends { readonly reason: infer Reason extends string } ? Reason : Name
  }
}
