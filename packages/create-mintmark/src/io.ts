/** What the command has of the world, beside files. */
export interface Io {
  /** What it says when all is well. Without the line's end. */
  readonly out: (line: string) => void
  /** What went wrong. Without the line's end. */
  readonly err: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where relative paths begin. */
  readonly cwd: string
  /** The version of Node, such as `24.1.0`. */
  readonly nodeVersion: string
  /** When it is aborted, what has been written goes away again. */
  readonly signal: AbortSignal
}
