import { clientId, providerId } from '../../identifiers.ts'
import type { IdentityProviderRecord } from '../../identity-provider.ts'
import { aDigest } from './a-digest.ts'
import { now } from './moments.ts'

/** An identity provider with one secret, in use. */
export const aProviderRecord = (overrides: Partial<IdentityProviderRecord> = {}): IdentityProviderRecord => ({
  providerId: providerId('provider-1'),
  displayName: 'Example Directory',
  secrets: [{ digest: aDigest('provider-secret-1'), createdAt: now, expiresAt: undefined, lastUsedAt: undefined }],
  clientIds: [clientId('client-1')],
  toleranceProfile: 'standard',
  deprovisioning: undefined,
  disabledAt: undefined,
  createdAt: now,
  version: 1,
  ...overrides,
})
