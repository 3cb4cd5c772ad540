/** Everything that the command reads and writes, except files. */
export interface Io {
  /** Prints a line of the result. Adds the line break. */
  readonly out: (line: string) => void
  /** Prints an error. Adds the line break. */
  readonly err: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** The version of Node, such as `24.1.0`. */
  readonly nodeVersion: string
  /** When the signal is aborted, files that were written are removed. */
  readonly signal: AbortSignal
}
