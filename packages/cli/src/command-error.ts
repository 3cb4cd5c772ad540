/** A command that cannot be carried out, or found something wrong: one line for the operator, who can mend it. Exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

/** A command that was given wrongly. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
}
