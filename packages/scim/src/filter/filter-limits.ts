/** What a filter may cost, whoever sends it (RFC 7644 §3.12: the server says what is too much). */
export const filterLimits = {
  /** Characters of the whole text. */
  length: 4096,
  /** Levels of parentheses, `not` and brackets. */
  depth: 20,
  /** Comparisons, value paths, `not`, `and`, `or`. */
  nodes: 200,
  /** Characters of one value. */
  value: 1024,
} as const
