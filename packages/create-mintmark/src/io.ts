/** Everything that the command reads and writes, except files. */
export interface Io {
  /** Prints a line of the result. Adds the line break. */
  readonly out: (line: string) => void
  /** Prints an error. Adds the line break. */
  readonly err: (line: string) => void
  /** Asks a question in the terminal, and returns the line that was entered. `undefined` without a terminal, and in CI. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** Runs a program in a folder, with its output in the terminal. Returns whether it succeeded. */
  readonly runProgram: (command: readonly string[], folder: string) => Promise<boolean>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** The version of Node, such as `24.1.0`. */
  readonly nodeVersion: string
  /** When the signal is aborted, files that were written are removed. */
  readonly signal: AbortSignal
}
