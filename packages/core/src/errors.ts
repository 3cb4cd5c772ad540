import {
  proofAlgorithms,
  type Header,
  json,
  noStore,
  type RequestHead,
  type ServerResponse,
  withHeaders,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import { authorizationErrorResponse, RedirectableError, type ResponseDependencies } from './authorize/response.ts'
import type { RequestRefused } from './events.ts'
import { type OAuthError, type RefusalReason, toOAuthError } from './refusals.ts'
import { grantManagementScopes } from './permissions/scopes.ts'

/** Creates the event that records why a request was refused. */
export function requestRefused(error: unknown, request: RequestHead): RequestRefused {
  const { code, reason, context, cause } = toOAuthError(error instanceof RedirectableError ? error.refusal : error)
  return { type: 'request.refused', method: request.method, path: request.url.pathname, code, reason, context, cause }
}

/** Renders an error of an endpoint that programs call (RFC 6749 §5.2). */
export function renderApiError(error: unknown): ServerResponse {
  const refusal = toOAuthError(error)
  return json(refusal.status, { error: refusal.code, error_description: refusal.description }, [
    ...noStore,
    ...challengeHeaders(refusal),
  ])
}

function challengeHeaders(error: OAuthError): readonly Header[] {
  // RFC 6749 §5.2: a 401 names the authentication scheme. It is Basic, whichever method the client tried.
  if (error.code === 'invalid_client') return [['WWW-Authenticate', 'Basic realm="token", charset="UTF-8"']]
  return [...retryAfterHeaders(error), ...nonceHeaders(error)]
}

/** RFC 9449 §8: the nonce for the next proof. */
const nonceHeaders = ({ dpopNonce }: OAuthError): readonly Header[] =>
  dpopNonce === undefined ? [] : [['DPoP-Nonce', dpopNonce]]

/**
 * Renders an error of an endpoint that takes an access token (RFC 6750 §3, RFC 9449 §7.1). The challenge is for the
 * scheme that the request uses. A request without a token gets a bare challenge of each scheme, without error details.
 */
export const renderBearerError =
  (realm: 'userinfo' | 'grants') =>
  (error: unknown, request: RequestHead): ServerResponse => {
    const refusal = toOAuthError(error)
    const { code, description, reason, status } = refusal
    const isBare = reason === 'bearer_missing'
    const attributes = isBare ? [] : [`error="${code}"`, `error_description="${description}"`]
    // RFC 6750 §3.1: insufficient_scope names the scope that is needed.
    const scope = neededScopes[reason]
    if (scope !== undefined) attributes.push(`scope="${scope}"`)

    const bearer: Header = ['WWW-Authenticate', [`Bearer realm="${realm}"`, ...attributes].join(', ')]
    const dpop: Header = ['WWW-Authenticate', [`DPoP algs="${proofAlgorithms.join(' ')}"`, ...attributes].join(', ')]
    const usesDpop = request.headers.has('dpop') || /^dpop /i.test(request.headers.get('authorization') ?? '')
    const challenges = isBare ? [bearer, dpop] : [usesDpop ? dpop : bearer]
    // RFC 9449 §7.1: an endpoint that takes access tokens responds to a refused proof with a challenge.
    const isProof = code === 'invalid_dpop_proof' || code === 'use_dpop_nonce'
    const isChallenge = isProof || status === 401 || status === 403
    const body = isBare ? {} : { error: code, error_description: description }
    const headers = isChallenge ? [...challenges, ...nonceHeaders(refusal)] : retryAfterHeaders(refusal)
    return json(isProof ? 401 : status, body, [...noStore, ...headers])
  }

/** The scope that an access token lacks, by the reason of the refusal. */
const neededScopes: Partial<Record<RefusalReason, string>> = {
  openid_not_granted: 'openid',
  grant_query_not_granted: grantManagementScopes.query,
  grant_revocation_not_granted: grantManagementScopes.revoke,
}

/**
 * Renders an error of an endpoint that browsers visit. It redirects to the client when the redirect URI was verified, and
 * shows a local page otherwise (RFC 6749 §4.1.2.1).
 */
export async function renderBrowserError(
  error: unknown,
  request: RequestHead,
  rendering: ResponseDependencies & {
    readonly now: EpochSeconds
    readonly renderErrorPage: RenderErrorPage | undefined
    /** The same identifier as in the request's events. */
    readonly correlationId: string
  },
): Promise<ServerResponse> {
  if (error instanceof RedirectableError) {
    const { target } = error
    // RFC 8628 §3.3: the browser cannot return to the device.
    if (target.kind === 'decoupled') return renderLocalPage(error.refusal, request, rendering)
    try {
      return await authorizationErrorResponse(error.refusal, target, rendering)
    } catch (cause) {
      // Signing the response failed. JARM §2.4: the client must not accept an unsigned one, so it gets none.
      return renderLocalPage(toOAuthError(cause), request, rendering)
    }
  }
  return renderLocalPage(toOAuthError(error), request, rendering)
}

function renderLocalPage(
  refusal: OAuthError,
  request: RequestHead,
  rendering: { readonly renderErrorPage: RenderErrorPage | undefined; readonly correlationId: string },
): ServerResponse {
  const { renderErrorPage: render = renderPlainPage, correlationId } = rendering
  const { status, code, description, reason } = refusal
  const problem = reason === 'user_inactive' ? 'account_deactivated' : undefined
  const page = render({ status, code, description, problem, correlationId }, request)
  return withHeaders(page, retryAfterHeaders(refusal))
}

/**
 * Renders a local error page.
 * @param request the refused request. Use it to choose the language, and trust nothing in it.
 */
export type RenderErrorPage = (content: ErrorPageContent, request: RequestHead) => ServerResponse

/** What a local error page shows to the user. */
interface ErrorPageContent {
  readonly status: number
  /** The OAuth error code. */
  readonly code: string
  /** A fixed sentence that contains nothing of the request. */
  readonly description: string
  /** A problem for which `description` is not enough: an advice in the language of the user should replace it. */
  readonly problem: 'account_deactivated' | undefined
  /** The `correlationId` of the request's events. Show it, so that support can search the log for it. */
  readonly correlationId: string
}

/** Renders the default page. Everything on it is fixed or generated by this library, so it needs no escaping. */
const renderPlainPage = (content: ErrorPageContent): ServerResponse => ({
  status: content.status,
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['X-Frame-Options', 'DENY'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ...noStore,
  ],
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign-in stopped</title><h1>Sign-in stopped</h1><p>${content.description}</p><p>Go back to the application that you came from and start again.</p><p>Error: <code>${content.code}</code></p><p>Reference: <code>${content.correlationId}</code></p></html>`,
})

/**
 * Returns the seconds to wait before the next request: from the refusal, or 5 if the service is unavailable (RFC 9110
 * §10.2.3).
 */
function retryAfterHeaders(error: OAuthError): readonly Header[] {
  if (error.retryAfter !== undefined) return [['Retry-After', String(error.retryAfter)]]
  return error.code === 'temporarily_unavailable' ? [['Retry-After', '5']] : []
}
