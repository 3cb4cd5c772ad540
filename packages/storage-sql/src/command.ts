export { MigrateCommandError, openTarget } from './command/target.ts'
export { copyDatabase, privilegeRefusal } from './command/run-command.ts'
export { pendingMigrations, printMigrations } from './migrate.ts'
