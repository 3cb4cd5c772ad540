import { ClientMetadataError } from '@mintmark/core'
import { ProviderError, ScimError } from '@mintmark/scim'
import { StorageUnavailableError } from '@mintmark/storage-interface'

import { AdminError } from './admin-error.ts'
import type { AdminRefusalReason } from './refusals.ts'

/** Whatever was thrown, as a refusal. What is not one tells the caller nothing of what went wrong inside. */
export function toAdminError(thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown
  // RFC 7591 §3.2.2: the description is a fixed sentence that says what to change.
  if (thrown instanceof ClientMetadataError)
    return new AdminError(thrown.code, { detail: thrown.description, cause: thrown })
  if (thrown instanceof ProviderError)
    return new AdminError(providerReasons[thrown.reason], { detail: thrown.message, cause: thrown })
  // RFC 7644 §3.12 invalidFilter: fixed sentences, and at most a name out of our own schema.
  if (thrown instanceof ScimError && thrown.scimType === 'invalidFilter') {
    return new AdminError('filter_invalid', { detail: thrown.detail, cause: thrown })
  }
  const reason = thrown instanceof StorageUnavailableError ? 'storage_unavailable' : 'unexpected_failure'
  return new AdminError(reason, { cause: thrown })
}

const providerReasons = {
  invalid_identifier: 'identifier_invalid',
  identifier_taken: 'identifier_taken',
  provider_unknown: 'provider_unknown',
  too_many_secrets: 'too_many_secrets',
} as const satisfies Record<ProviderError['reason'], AdminRefusalReason>
