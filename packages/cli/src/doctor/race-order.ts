import type { EpochSeconds, SecretDigest } from '@mintmark/storage-interface'

import type { DatabaseAddress } from '../place/settings.ts'

/** What a process is told to do in a race: one line of JSON on its standard input. */
export interface RaceOrder {
  readonly address: DatabaseAddress
  /** Tells its successors of a refresh token from the other process’s. */
  readonly name: string
  /** How often it presents each thing. */
  readonly times: number
  readonly now: EpochSeconds
  readonly expiresAt: EpochSeconds
  readonly code: SecretDigest
  readonly handle: SecretDigest
  readonly refreshToken: SecretDigest
  readonly jti: string
}

/** What a process was told, in the order in which it asked. */
export interface RaceReport {
  readonly consumed: readonly string[]
  readonly rotated: readonly string[]
  readonly claimed: readonly string[]
}

/** The throw-away rows belong to an issuer of their own: no server ever sees them. */
export const raceIssuer = 'https://doctor.invalid'

/** Whose they are. */
export const raceClient = 'doctor'
