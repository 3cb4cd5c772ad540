export { createRegistrationServer } from './registration-server.ts'
export type { RegistrationServer, RegistrationServerOptions, TrustedStatements } from './registration-server.ts'
export type { RegistrationEvent } from './refusals.ts'
