import type { Clock } from '@mintmark/internal'

/** Everything that a command reads and writes, apart from files and databases. */
export interface Io {
  /** Prints a result, which other programs may read. Without the end of the line. */
  readonly out: (line: string) => void
  /** Prints progress, warnings and errors. Without the end of the line. */
  readonly err: (line: string) => void
  /** Replaces the current line of a terminal; undefined when the output is not a terminal. */
  readonly progress: ((line: string) => void) | undefined
  /** The terminal, for a progress bar; undefined when the output is not a terminal. */
  readonly terminal: NodeJS.WritableStream | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** The user who runs the command. The audit log contains this name. */
  readonly operator: string
  readonly clock: Clock
  readonly fetch: typeof fetch
  /** The program and arguments that start this command line in another process. */
  readonly self: readonly [program: string, ...args: string[]]
  /** The standard input, in pieces. */
  readonly input: () => AsyncIterable<string | Uint8Array>
  /** The lines of the standard input. */
  readonly lines: () => AsyncIterator<string>
}
