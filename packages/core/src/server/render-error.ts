import { authorizationErrorResponse, RedirectableError } from '../authorize/response.ts'
import { renderErrorPage, type RenderErrorPage } from '../error/render-error-page.ts'
import { renderOAuthError, retryAfterHeaders } from '../error/render-oauth-error.ts'
import { withHeaders, type RequestHead, type ServerResponse } from '@mintmark/internal'
import { renderBearerError as renderBearer } from '../tokens/userinfo.ts'
import { toOAuthError } from '../refusals.ts'

/** The error answer of an endpoint that takes a bearer token. */
export const renderBearerError = (error: unknown): ServerResponse => renderBearer(toOAuthError(error))

/** The error answer of an endpoint that programs call. */
export const renderApiError = (error: unknown): ServerResponse => renderOAuthError(toOAuthError(error))

/**
 * The error answer of an endpoint that browsers visit: back to the client where the error proves that this is safe, and
 * a local page otherwise (RFC 6749 §4.1.2.1).
 */
export function renderBrowserError(
  error: unknown,
  request: RequestHead,
  rendering: { readonly issuer: string; readonly renderErrorPage: RenderErrorPage | undefined },
): ServerResponse {
  if (error instanceof RedirectableError) {
    return authorizationErrorResponse(error.refusal, error.target, rendering.issuer)
  }
  const refusal = toOAuthError(error)
  const render = rendering.renderErrorPage ?? renderErrorPage
  const page = render({ status: refusal.status, code: refusal.code, description: refusal.description }, request)
  return withHeaders(page, retryAfterHeaders(refusal))
}
