export { MigrateCommandError, openTarget } from './command/target.ts'
export { copyDatabase, privilegeRefusal } from './command/run-command.ts'
