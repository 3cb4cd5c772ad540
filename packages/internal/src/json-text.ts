/** Whether an object in valid JSON has a member twice. */
export function repeatsMember(text: string): boolean {
  const open: (Set<string> | undefined)[] = []
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token.endsWith(':')) {
      // `a` and its escaped form are one name.
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string
      const names = open.at(-1)
      if (names?.has(name) === true) return true
      names?.add(name)
    }
  }
  return false
}

/** Goes once through the text. Brackets in texts count too: no message of ours has so many in a row. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > 32) return true
  }
  return false
}

/**
 * Whether every store can write a value and read it back: no text in it has U+0000 or half a surrogate pair.
 * @param value JSON, not nested deeply.
 */
export const isStorable = (value: unknown): boolean => !unstorable.test(JSON.stringify(value))

/** These characters as JSON escapes them: after an even number of backslashes. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
