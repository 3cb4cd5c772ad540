/** Everything that the command reads and writes, apart from files. */
export interface Io {
  /** Prints results. Without the end of the line. */
  readonly out: (line: string) => void
  /** Prints errors. Without the end of the line. */
  readonly err: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** The version of Node, such as `24.1.0`. */
  readonly nodeVersion: string
  /** When it is aborted, files that were written are removed. */
  readonly signal: AbortSignal
}
