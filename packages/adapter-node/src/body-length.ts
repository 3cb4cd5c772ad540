import type { ServerResponse } from '@mintmark/core/http'

/** The length of a response's body in bytes; undefined when it has none. */
export type BodyLength = (response: ServerResponse) => number | undefined

/**
 * Counts the bytes of text, and of a frozen response only once: for Node counting 2 kB is as much work as checking and writing
 * their headers.
 */
export function createBodyLength(): BodyLength {
  const counted = new WeakMap<ServerResponse, number>()
  return (response) => {
    const { body } = response
    if (typeof body !== 'string') return body?.length
    const known = counted.get(response)
    if (known !== undefined) return known
    const length = Buffer.byteLength(body)
    if (Object.isFrozen(response)) counted.set(response, length)
    return length
  }
}
