import { keyId } from '../../identifiers.ts'
import type { SigningKeyRecord } from '../../signing-key.ts'
import { now } from './moments.ts'

/** The first ES256 key. Its members are shaped like a key's; it signs nothing. */
export const aSigningKeyRecord = (overrides: Partial<SigningKeyRecord> = {}): SigningKeyRecord => ({
  keyId: keyId('key-1'),
  algorithm: 'ES256',
  ordinal: 1,
  publicJwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'xA7ScRcvKPxCnbDX2dv1w1cNGZUWKhPz3eOfJeKw9v0',
    y: 'kf2z3PBQhTzTJKQh6oXQ0K1cRkh3Lu0dF9pBvJ0Zy9E',
  },
  vaultEntry: 'sealing-1.c2VhbGVkLXByaXZhdGUtandr',
  createdAt: now,
  signsFrom: now,
  droppedAt: undefined,
  ...overrides,
})
