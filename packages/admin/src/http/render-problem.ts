import { noStore, type Header, type ServerResponse } from '@mintmark/core/http'

import type { AdminError } from '../error/admin-error.ts'

/**
 * Renders a refusal as problem details (RFC 9457 §3). `code` is stable; `detail` is a fixed sentence for humans;
 * `pointer` is the JSON Pointer of the member of the request that is at fault (RFC 6901).
 * @param scope the scope value that was missing.
 */
export function renderProblem(
  { status, reason, detail, pointer }: AdminError,
  { scope }: { readonly scope?: string | undefined } = {},
): ServerResponse {
  return {
    status,
    headers: [
      ['Content-Type', 'application/problem+json'],
      ['X-Content-Type-Options', 'nosniff'],
      ...noStore,
      ...challenge(status, reason, scope),
    ],
    // RFC 9457 §4.2.1: with about:blank the title is the phrase of the HTTP status.
    body: JSON.stringify({
      type: 'about:blank',
      title: titles[status],
      status,
      code: reason,
      detail,
      ...(pointer !== undefined && { pointer }),
    }),
  }
}

function challenge(status: number, reason: AdminError['reason'], scope: string | undefined): readonly Header[] {
  // RFC 6750 §3: the scheme, and an error only when a token was presented.
  if (reason === 'credentials_missing') return [['WWW-Authenticate', 'Bearer realm="admin"']]
  if (status === 401) return [['WWW-Authenticate', 'Bearer realm="admin", error="invalid_token"']]
  if (reason === 'scope_missing')
    return [['WWW-Authenticate', `Bearer realm="admin", error="insufficient_scope", scope="${scope}"`]]
  return status === 503 ? [['Retry-After', '5']] : []
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
