/**
 * Compares two strings in a time that depends on their lengths only, so that an answer's delay tells nothing of how many
 * leading characters were right.
 */
export function equalInConstantTime(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
