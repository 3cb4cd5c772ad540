/** A member of a document as text; empty when it is not there, or has parts of its own. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
