/**
 * Returns the candidate that shares the most characters with the text at its beginning and its end; `undefined` if there
 * is no candidate. The time is linear, so that a long text from a stranger costs little.
 */
export function nearestOf(text: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let best = -1
  for (const candidate of candidates) {
    const score = likeness(text, candidate)
    if (score > best) [nearest, best] = [candidate, score]
  }
  return nearest
}

/** Returns the nearest candidate if it is so near that the text is probably a misspelling of it. */
export function misspelledNameOf(text: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestOf(text, candidates)
  return nearest !== undefined && likeness(text, nearest) >= 0.7 ? nearest : undefined
}

/** The part of the longer text that both have in common at the beginning and the end: 1 for equal texts. */
function likeness(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let prefix = 0
  while (prefix < shorter && a[prefix] === b[prefix]) prefix += 1
  let suffix = 0
  while (suffix < shorter - prefix && a.at(-1 - suffix) === b.at(-1 - suffix)) suffix += 1
  return shorter === 0 ? 0 : (prefix + suffix) / Math.max(a.length, b.length)
}
