export { CommandRefused, openTarget } from './migration-target.ts'
export type { Target } from './migration-target.ts'
