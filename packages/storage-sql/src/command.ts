export { CommandRefused, openTarget } from './migration-target.ts'
export { privilegeRefusal } from './privilege-refusal.ts'
export type { Target } from './migration-target.ts'
