import { clientId, epochSeconds, providerId, type IdentityProviderRecord } from '@mintmark/storage-interface'
import { json, jsonOrNull, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'
import { readSecrets, secretColumns, type SecretJson, type SecretUses } from './secrets-json.ts'

export const identityProviderColumns = [
  'issuer',
  'provider_id',
  'display_name',
  'secrets',
  'secret_uses',
  'client_ids',
  'tolerance_profile',
  'offboarding',
  'disabled_at',
  'created_at',
  'version',
  // A removed provider stays as a tombstone, so that nobody inherits its accounts with its identifier.
  'removed_at',
] as const

type IdentityProviderRow = Omit<Record<(typeof identityProviderColumns)[number], SqlValue>, 'issuer'>

export const identityProviderRow = (provider: IdentityProviderRecord): IdentityProviderRow => ({
  provider_id: provider.providerId,
  display_name: provider.displayName,
  ...secretColumns(provider.secrets),
  client_ids: json(provider.clientIds),
  tolerance_profile: provider.toleranceProfile,
  offboarding: jsonOrNull(toOffboardingJson(provider.deprovisioning)),
  disabled_at: orNull(provider.disabledAt),
  created_at: provider.createdAt,
  version: provider.version,
  removed_at: null,
})

export const identityProviderReader =
  (read: ColumnReader) =>
  (row: SqlRow): IdentityProviderRecord => ({
    providerId: providerId(read.text(row, 'provider_id')),
    displayName: read.text(row, 'display_name'),
    secrets: readSecrets(
      read.json(row, 'secrets') as readonly SecretJson[],
      read.json(row, 'secret_uses') as SecretUses,
    ),
    clientIds: (read.json(row, 'client_ids') as readonly string[]).map(clientId),
    toleranceProfile: read.text(row, 'tolerance_profile'),
    deprovisioning: readOffboarding(read.optionalJson(row, 'offboarding') as OffboardingJson | undefined),
    disabledAt: optionalTime(read.optionalInteger(row, 'disabled_at')),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    version: read.integer(row, 'version'),
  })

/** As it is stored: the column and its members keep the names of the first schema. */
interface OffboardingJson {
  readonly windowStartedAt: number
  readonly count: number
  readonly heldAt?: number | undefined
}

const readOffboarding = (read: OffboardingJson | undefined): IdentityProviderRecord['deprovisioning'] =>
  read && {
    windowStartedAt: epochSeconds(read.windowStartedAt),
    count: read.count,
    suspendedAt: optionalTime(read.heldAt),
  }

const toOffboardingJson = (count: IdentityProviderRecord['deprovisioning']): OffboardingJson | undefined =>
  count && { windowStartedAt: count.windowStartedAt, count: count.count, heldAt: count.suspendedAt }
