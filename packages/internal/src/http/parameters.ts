/** Parameters as they came: names may repeat, and the reader decides what that means. */
export type ParameterList = readonly (readonly [name: string, value: string])[]

/**
 * Why bytes are not a form: `encoding` for a broken percent-escape or text that is not UTF-8, `too_many` for more pairs
 * than allowed.
 */
export type MalformedParameters = { readonly malformed: 'encoding' | 'too_many' }

/**
 * Decodes `application/x-www-form-urlencoded` text strictly: unlike `URLSearchParams` it refuses what is not a valid
 * escape or not UTF-8, instead of guessing (RFC 6749 Appendix B).
 */
export function parseParameters(text: string, atMost: number): ParameterList | MalformedParameters {
  if (text === '') return []
  // Counted before anything is split: a megabyte of `&` must not become a million strings.
  if (countPairs(text) > atMost) return { malformed: 'too_many' }

  const parameters: (readonly [string, string])[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeComponent(equals === -1 ? pair : pair.slice(0, equals))
    const value = decodeComponent(equals === -1 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) return { malformed: 'encoding' }
    parameters.push([name, value])
  }
  return parameters
}

function countPairs(text: string): number {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) pairs += 1
  return pairs
}

/** Decodes one name or value: `+` is a space, escapes must be UTF-8. `undefined` when malformed. */
export function decodeComponent(text: string): string | undefined {
  if (!text.includes('%')) return text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // `decodeURIComponent` knows no other way to say that an escape is broken or not UTF-8.
    return undefined
  }
}
