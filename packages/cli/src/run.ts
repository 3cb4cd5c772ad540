import { CommanderError } from 'commander'

import { exitCodeOf, sentenceOf } from './explain-error.ts'
import type { Io } from './io.ts'
import { createProgram } from './program.ts'

/**
 * Carries out one command of `mintmark`.
 * @param argv what stands behind the command's name.
 * @returns the exit code: 0 done, 1 not done or something is wrong, 2 the command was given wrongly. It never throws.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync([...argv], { from: 'user' })
    return 0
  } catch (error) {
    // Commander has said what was wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    io.err(`mintmark: ${sentenceOf(error)}`)
    return exitCodeOf(error)
  }
}
