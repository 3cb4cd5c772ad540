import { CommanderError } from 'commander'

import { exitCodeOf, sentenceOf } from './command-error.ts'
import type { Io } from './io.ts'
import { createProgram } from './program.ts'

/**
 * Runs one command of `mintmark`. Never throws.
 * @param argv the arguments after the name of the program.
 * @returns the exit code: 0 for success, 1 if the command failed or found a problem, 2 for wrong arguments.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync([...argv], { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the error, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    io.err(`mintmark: ${sentenceOf(error)}`)
    return exitCodeOf(error)
  }
}
