import type { Header, ServerResponse } from '@mintmark/core/http'

import { scimResponse } from '../message/scim-response.ts'
import { renderScimError } from './render-scim-error.ts'
import type { ScimError } from './scim-error.ts'

/** The answer to a refusal (RFC 7644 §3.12): a SCIM error body, always, and what HTTP wants beside it. */
export const renderRefusal = (error: ScimError): ServerResponse =>
  scimResponse(error.status, renderScimError(error), headersOf(error))

function headersOf({ status, reason }: ScimError): readonly Header[] {
  // RFC 6750 §3: the scheme, and an error only when a token was presented.
  if (reason === 'credentials_missing') return [['WWW-Authenticate', 'Bearer realm="scim"']]
  if (status === 401) return [['WWW-Authenticate', 'Bearer realm="scim", error="invalid_token"']]
  if (reason === 'scope_missing')
    return [['WWW-Authenticate', 'Bearer realm="scim", error="insufficient_scope", scope="scim"']]
  return status === 503 ? [['Retry-After', '5']] : []
}
