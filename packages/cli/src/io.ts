import type { Clock } from '@mintmark/internal'

/** Everything that a command reads and writes, except files and databases. */
export interface Io {
  /** Prints a line of the result, which other programs may read. Adds the line break. */
  readonly out: (line: string) => void
  /** Prints a line of progress, a warning or an error. Adds the line break. */
  readonly err: (line: string) => void
  /** Replaces the current line of the terminal; undefined if the output is not a terminal. */
  readonly progress: ((line: string) => void) | undefined
  /** The terminal, for a progress bar; undefined if the output is not a terminal. */
  readonly terminal: NodeJS.WritableStream | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** The user who runs the command. The audit log contains this name. */
  readonly operator: string
  readonly clock: Clock
  /** Waits for some seconds. */
  readonly sleep: (seconds: number) => Promise<void>
  readonly fetch: typeof fetch
  /** The program and arguments that start this command line in another process. */
  readonly self: readonly [program: string, ...args: string[]]
  /** Returns the standard input in chunks. */
  readonly input: () => AsyncIterable<string | Uint8Array>
  /** Returns the lines of the standard input. */
  readonly lines: () => AsyncIterator<string>
}
