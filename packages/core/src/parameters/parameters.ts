import type { ParameterList } from '../http/index.ts'

/**
 * Request parameters by name, as RFC 6749 §3.1 reads them: an empty value counts as absent, and a repeated name is
 * remembered, because only the endpoint knows how to refuse it.
 */
export interface Parameters {
  /** The value; `undefined` when absent or empty. Of a repeated name it is the first value. */
  get(name: string): string | undefined
  /** All values of a name that may repeat, such as `resource` (RFC 8707 §2). */
  all(name: string): readonly string[]
  /** Whether the name came more than once. */
  isRepeated(name: string): boolean
  /** The names that came, each once. */
  readonly names: readonly string[]
}

export function indexParameters(list: ParameterList): Parameters {
  const values = new Map<string, string[]>()
  for (const [name, value] of list) {
    if (value === '') continue
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const occurrences = new Map<string, number>()
  for (const [name] of list) occurrences.set(name, (occurrences.get(name) ?? 0) + 1)

  return {
    get: (name) => values.get(name)?.[0],
    all: (name) => values.get(name) ?? [],
    isRepeated: (name) => (occurrences.get(name) ?? 0) > 1,
    names: [...occurrences.keys()],
  }
}
