/** The words after a command are wrong. The message says what is wrong with them, in a sentence. */
export class WrongWordsError extends Error {
  override readonly name = 'WrongWordsError'
}

/**
 * Runs a command with its words. `--help` prints the usage. Words that the command does not understand end it with exit code 2
 * and a sentence instead of a stack trace.
 * @param usage a sentence that says how to write the command.
 * @param run throws `WrongWordsError`, or what `parseArgs` throws, if the words are wrong.
 */
export async function runCommand<Result>(
  usage: string,
  run: (words: string[]) => Result | Promise<Result>,
): Promise<Result> {
  // `pnpm bench -- --quick` passes the dashes on.
  const words = process.argv.slice(2).filter((word) => word !== '--')
  if (words.includes('--help')) {
    console.log(usage)
    return process.exit(0)
  }
  try {
    return await run(words)
  } catch (error) {
    if (!isAboutWords(error)) throw error
    console.error(`${error.message} ${usage}`)
    return process.exit(2)
  }
}

const isAboutWords = (error: unknown): error is Error =>
  error instanceof WrongWordsError ||
  (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))

/**
 * Returns the items whose name contains one of the parts, in upper or lower case.
 * @param kind what the items are, such as `suite`.
 * @throws WrongWordsError if no name contains one of the parts. It lists the names.
 */
export function selectNamed<Item extends { readonly name: string }>(
  kind: string,
  items: readonly Item[],
  parts: readonly string[],
): readonly Item[] {
  const has = ({ name }: Item, part: string): boolean => name.toLowerCase().includes(part.toLowerCase())
  const unknown = parts.find((part) => !items.some((item) => has(item, part)))
  if (unknown !== undefined) {
    const names = [...new Set(items.map(({ name }) => name))]
    throw new WrongWordsError(`No ${kind} is named ${JSON.stringify(unknown)}. The names are: ${names.join('; ')}.`)
  }
  return items.filter((item) => parts.some((part) => has(item, part)))
}

/**
 * Returns the one of the names that a word is.
 * @param what what the word says, such as `--writers`.
 * @throws WrongWordsError if it is none of them. It lists the names.
 */
export function chosenName<Name extends string>(what: string, names: readonly Name[], word: string): Name {
  const chosen = names.find((name) => name === word)
  if (chosen === undefined)
    throw new WrongWordsError(`${what} is one of ${names.join(', ')}, not ${JSON.stringify(word)}.`)
  return chosen
}

/**
 * Returns the positive number that a word is.
 * @param what what the word says, such as `the number of rounds`.
 * @throws WrongWordsError if it is not one.
 */
export function positiveNumber(what: string, word: string): number {
  const number = Number(word)
  if (!(number > 0 && number < Number.MAX_SAFE_INTEGER))
    throw new WrongWordsError(`${what} is a positive number, not ${JSON.stringify(word)}.`)
  return number
}

/** @throws WrongWordsError if the word is not a positive whole number. */
export function positiveCount(what: string, word: string): number {
  const number = positiveNumber(what, word)
  if (!Number.isInteger(number)) throw new WrongWordsError(`${what} is a whole number, not ${JSON.stringify(word)}.`)
  return number
}

/** @throws WrongWordsError if there are words that the command does not use. */
export function requireNoMore(words: readonly string[]): void {
  if (words.length > 0) throw new WrongWordsError(`The command does not use ${words.join(' ')}.`)
}

/** Reads the one word of a command that takes a number, or none. */
export const onlyCount = (
  command: string,
  { of, otherwise }: { readonly of: string; readonly otherwise: number },
): Promise<number> =>
  runCommand(`Write ${command} [NUMBER OF ${of.toUpperCase()}].`, ([word = String(otherwise), ...more]) => {
    requireNoMore(more)
    return positiveCount(`The number of ${of}`, word)
  })
