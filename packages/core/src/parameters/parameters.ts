import type { ParameterList } from '@mintmark/internal'

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
  const received = new Map<string, string[]>()
  for (const [name, value] of list) {
    const known = received.get(name)
    if (known === undefined) received.set(name, [value])
    else known.push(value)
  }

  return {
    get: (name) => received.get(name)?.find(isPresent),
    all: (name) => (received.get(name) ?? []).filter(isPresent),
    isRepeated: (name) => (received.get(name)?.length ?? 0) > 1,
    names: [...received.keys()],
  }
}

const isPresent = (value: string): boolean => value !== ''
