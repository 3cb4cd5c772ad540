export { createConsole } from './create-console.ts'
export type { ConsoleEvent } from './refusals.ts'
