/** What a filter may cost, whoever sends it (RFC 7644 §7.5.1 leaves the bounds to the server). */
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
