import { type Header, json, noStore, type RequestHead, type ServerResponse, withHeaders } from '@mintmark/internal'
import { authorizationErrorResponse, RedirectableError } from './authorize/response.ts'
import type { RequestRefused } from './events.ts'
import { type OAuthError, toOAuthError } from './refusals.ts'
import { renderBearerError as renderBearer } from './tokens/userinfo.ts'

/** The event that tells why a request was refused. */
export function requestRefused(error: unknown, request: RequestHead): RequestRefused {
  const { code, reason, context, cause } = toOAuthError(error instanceof RedirectableError ? error.refusal : error)
  return { type: 'request.refused', method: request.method, path: request.url.pathname, code, reason, context, cause }
}

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

/** What a local error page tells a person. */
export interface ErrorPageContent {
  readonly status: number
  /** The OAuth error code. */
  readonly code: string
  /** A fixed sentence that holds nothing of the request. */
  readonly description: string
}

/**
 * Renders such a page.
 * @param request what it answers: for the person's language. It was refused; believe nothing in it.
 */
export type RenderErrorPage = (content: ErrorPageContent, request: RequestHead) => ServerResponse

/** The plain page that is shown when the host brings none of its own. Both values are fixed texts of this library. */
export const renderErrorPage = (content: ErrorPageContent): ServerResponse => ({
  status: content.status,
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['X-Frame-Options', 'DENY'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ...noStore,
  ],
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign-in stopped</title><h1>Sign-in stopped</h1><p>${content.description}</p><p>Go back to the application that you came from and start again.</p><p>Error: <code>${content.code}</code></p></html>`,
})

/** The error answer of an API endpoint (RFC 6749 §5.2). */
export const renderOAuthError = (error: OAuthError): ServerResponse =>
  json(error.status, { error: error.code, error_description: error.description }, [
    ...noStore,
    ...challengeHeaders(error),
  ])

function challengeHeaders(error: OAuthError): readonly Header[] {
  // RFC 6749 §5.2: a 401 names the scheme to use; always the same one, whatever the client had tried.
  if (error.code === 'invalid_client') return [['WWW-Authenticate', 'Basic realm="token", charset="UTF-8"']]
  return retryAfterHeaders(error)
}

/** How many seconds to wait before asking again: what the refusal says, or a moment when the service is down (RFC 9110 §10.2.3). */
export function retryAfterHeaders(error: OAuthError): readonly Header[] {
  if (error.retryAfter !== undefined) return [['Retry-After', String(error.retryAfter)]]
  return error.code === 'temporarily_unavailable' ? [['Retry-After', '5']] : []
}
