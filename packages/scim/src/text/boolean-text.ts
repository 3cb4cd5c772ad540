/** Reads "True", "FALSE" and the like, with nothing around it. @returns undefined for any other text. */
export function readBooleanText(text: string): boolean | undefined {
  if (text.length > 5) return undefined
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  return lower === 'false' ? false : undefined
}
