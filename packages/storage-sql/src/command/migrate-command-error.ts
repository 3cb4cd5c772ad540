/** The command cannot run with these arguments, or on these databases. */
export class MigrateCommandError extends Error {
  override readonly name = 'MigrateCommandError'
}
