export { CommandRefused, openTarget } from './command/target.ts'
export { privilegeRefusal } from './command/run.ts'
export type { Target } from './command/target.ts'
