/** Whether any object in a valid JSON text has the same member twice. */
export function repeatsMember(text: string): boolean {
  const open: (Set<string> | undefined)[] = []
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token.endsWith(':')) {
      // `a` and its escaped form are the same name.
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string
      const names = open.at(-1)
      if (names?.has(name) === true) return true
      names?.add(name)
    }
  }
  return false
}

/**
 * Whether JSON is nested more than 32 deep. Brackets inside strings are counted too; no legitimate message has so many.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > maximumDepth) return true
  }
  return false
}

/**
 * Whether every store can write a value and read it back unchanged: no string in it contains U+0000 or half a surrogate
 * pair, and it is not nested more than 32 deep, because `JSON.stringify` throws for a few thousand levels.
 * @param value JSON.
 */
export const isStorable = (value: unknown): boolean =>
  isNested(value, maximumDepth) && !unstorable.test(JSON.stringify(value))

/** Whether the value is nested at most as deep. */
const isNested = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isNested(member, levels - 1)))

const maximumDepth = 32

/** Matches the JSON escapes of these characters: after an even number of backslashes. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
