import { StorageUnavailableError } from '@mintmark/storage-interface'

import { OAuthError } from './oauth-error.ts'

/** Whatever was thrown, in OAuth's terms. What is not a refusal tells the client nothing of what went wrong inside. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error
  if (error instanceof StorageUnavailableError) {
    return new OAuthError('temporarily_unavailable', 'The service cannot answer now. Try again shortly.', {
      reason: 'storage_unavailable',
      cause: error,
    })
  }
  return new OAuthError('server_error', 'The service failed to answer.', { reason: 'unexpected_failure', cause: error })
}
