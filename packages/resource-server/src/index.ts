export type { VerifiedAccessToken } from './access-token.ts'
export type {
  CertificateCredentials,
  ClientCredentials,
  KeyCredentials,
  SecretCredentials,
} from './credentials.ts'
export type { ResourceServerOptions } from './options.ts'
export { protectExpress } from './protect-express.ts'
export { protectFetch } from './protect-fetch.ts'
export { AccessRefusedError } from './refusals.ts'
export type { AccessRefusalReason } from './refusals.ts'
export { createResourceServer } from './resource-server.ts'
export type { ResourceServer } from './resource-server.ts'
