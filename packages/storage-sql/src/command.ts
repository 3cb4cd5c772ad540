export { MigrateCommandError, openTarget } from './command/target.ts'
export { privilegeRefusal } from './command/run-command.ts'
