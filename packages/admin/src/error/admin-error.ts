import { ClientMetadataError } from '@mintmark/core'
import { ProviderError, ScimError } from '@mintmark/scim'
import { StorageUnavailableError } from '@mintmark/storage-interface'

import { refusals, type AdminRefusalReason } from './refusals.ts'

interface AdminErrorOptions {
  /** A more specific sentence than that of the reason. It contains no input. */
  readonly detail?: string | undefined
  /** The member of the request that is at fault, as a JSON Pointer (RFC 6901). */
  readonly pointer?: string | undefined
  readonly cause?: unknown
}

/** An action was refused, or failed. `reason` is stable. Nothing was changed unless the reason says so. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  readonly reason: AdminRefusalReason
  readonly status: number
  readonly detail: string
  readonly pointer: string | undefined

  constructor(reason: AdminRefusalReason, { detail, pointer, cause }: AdminErrorOptions = {}) {
    const [status, sentence] = refusals[reason]
    super(detail ?? sentence, { cause })
    this.reason = reason
    this.status = status
    this.detail = detail ?? sentence
    this.pointer = pointer
  }
}

/** Converts any error to a refusal. An internal failure is reported without its message. */
export function toAdminError(thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown
  // RFC 7591 §3.2.2: the description is a fixed sentence that says what to change.
  if (thrown instanceof ClientMetadataError)
    return new AdminError(thrown.code, { detail: thrown.description, cause: thrown })
  if (thrown instanceof ProviderError)
    return new AdminError(providerReasons[thrown.reason], { detail: thrown.message, cause: thrown })
  // RFC 7644 §3.12 invalidFilter: fixed sentences, and at most a name from our own schema.
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
