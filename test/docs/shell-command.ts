/**
 * Splits a shell block into commands, and each command into words. Removes comments, leading assignments, redirections
 * and quotes; does not expand `$NAME` and `$(…)`.
 */
export function shellCommands(code: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  let isTarget = false
  for (const [token, word] of code.replaceAll('\\\n', ' ').matchAll(tokenPattern)) {
    if (/^(?:\n|;|&&?|\|\|?)$/.test(token)) commands.push([])
    if (word !== undefined && !isTarget) commands.at(-1)?.push(unquoted(word))
    // The target of a redirection is the next word.
    isTarget = /^[<>]+$/.test(token) || (isTarget && word === undefined)
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !isAssignment(word))))
    .filter((words) => words.some((word) => !isAssignment(word)))
}

const isAssignment = (word: string): boolean => /^[A-Z_][A-Z\d_]*=/.test(word)

const unquoted = (word: string): string => word.replaceAll(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, '$1$2')

const tokenPattern =
  /(?<=^|\s)#[^\n]*|\n|[ \t]+|&&|\|\||[;&|]|\d?[<>]+|((?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\$\((?:[^()]|\([^()]*\))*\)|\\.|[^\s"'|;&<>])+)/g
