import { hash } from 'node:crypto'

/**
 * A text of any length as an index can hold it: an entry of PostgreSQL has room for 2,704 bytes. Keys are equal where the
 * texts are, and nowhere else.
 */
export const indexKey = (text: string): string =>
  text.length <= longest && !text.startsWith(digested) ? text : digested + hash('sha256', text, 'base64url')

/** The key of a text that may be absent. */
export const indexKeyOrNull = (text: string | undefined): string | null => (text === undefined ? null : indexKey(text))

const longest = 200
const digested = 'sha256 '
