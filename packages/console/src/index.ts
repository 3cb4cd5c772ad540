export { createConsole } from './create-console.ts'
export type { ConsoleEvent } from './refusals.ts'
export { createDirectorySetup } from './directory-setup/create-directory-setup.ts'
