/** A storage did not keep a law of the contract. */
export class LawViolationError extends Error {
  override readonly name = 'LawBroken'
  /** The law's name, as in `storageLaws`. */
  readonly law: string
  readonly expected: unknown
  readonly found: unknown

  constructor(verdict: {
    readonly law: string
    /** What of the law was looked at when it broke. */
    readonly about: string
    readonly expected: unknown
    readonly found: unknown
    readonly cause?: unknown
  }) {
    const { law, about, expected, found, cause } = verdict
    super(`${law}\n  ${about}\n  expected: ${show(expected)}\n  found:    ${show(found)}`, { cause })
    this.law = law
    this.expected = expected
    this.found = found
  }
}

function show(value: unknown): string {
  const text = value instanceof Error ? String(value) : (JSON.stringify(value, keepUndefined) ?? String(value))
  return text.length > 1000 ? `${text.slice(0, 1000)}… (${text.length} characters)` : text
}

function keepUndefined(_key: string, value: unknown): unknown {
  return value === undefined ? '(undefined)' : value
}
