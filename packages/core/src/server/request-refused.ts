import { RedirectableError } from '../authorize/response.ts'
import type { RequestRefused } from '../event/server-event.ts'
import type { RequestHead } from '@mintmark/internal'
import { toOAuthError } from '../refusals.ts'

/** The event that tells why a request was refused. */
export function requestRefused(error: unknown, request: RequestHead): RequestRefused {
  const { code, reason, context, cause } = toOAuthError(error instanceof RedirectableError ? error.refusal : error)
  return { type: 'request.refused', method: request.method, path: request.url.pathname, code, reason, context, cause }
}
