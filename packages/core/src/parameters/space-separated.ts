/** The distinct values of a space-separated list, in their order (RFC 6749 §3.3: order does not matter, nor does repetition). */
export const spaceSeparated = (value: string | undefined): readonly string[] =>
  value === undefined ? [] : [...new Set(value.split(' ').filter((item) => item !== ''))]
