import { StorageUnavailableError } from '@mintmark/storage-interface'

import { refusal } from './refusal.ts'
import { ScimError } from './scim-error.ts'

/** Whatever was thrown, in SCIM's terms. What is not a refusal tells the caller nothing of what went wrong inside. */
export function toScimError(error: unknown): ScimError {
  if (error instanceof ScimError) return error
  return refusal(error instanceof StorageUnavailableError ? 'storage_unavailable' : 'unexpected_failure', {
    cause: error,
  })
}
