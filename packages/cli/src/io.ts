import type { Clock } from '@mintmark/core'

/** What a command has of the world: everything it reads and writes, beside files and databases. */
export interface Io {
  /** Answers: what another program may read. Without the line's end. */
  readonly out: (line: string) => void
  /** Progress, warnings and errors. Without the line's end. */
  readonly err: (line: string) => void
  /** Shows a line in place of the one shown before, on a terminal; undefined where nobody watches. */
  readonly progress: ((line: string) => void) | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where relative paths begin. */
  readonly cwd: string
  /** Who gives the commands: it stands in the audit log. */
  readonly operator: string
  readonly clock: Clock
  readonly fetch: typeof fetch
  /** The program and the arguments that start this command line in a process of its own. */
  readonly self: readonly [program: string, ...args: string[]]
  /** The lines of the standard input, as they come. */
  readonly lines: () => AsyncIterator<string>
}
