import { nearestOf } from '@mintmark/internal'
import { clientId, type Brand, type ClientRecord, type OAuthStorage } from '@mintmark/storage-interface'

import { identifyClient, isRegistered } from '../clients/proven-redirect.ts'
import { preferredLocales, refuseTooLong } from '../authorize/parameters.ts'
import type { VerifyOwnJwtDependencies } from '../keys/verify-jwt.ts'
import { type Parameters, refuseRepeated } from '../parameters.ts'
import { OAuthError, refuse, withoutSecrets } from '../refusals.ts'
import { readIdTokenHint, type IdTokenHint } from '../tokens/id-token-hint.ts'

/** A logout request whose parameters are well-formed (RP-Initiated Logout §2). Nothing in it is proven yet. */
export interface LogoutRequest {
  readonly parameters: Parameters
  readonly state: string | undefined
  /** The client's name for the user who signs out. */
  readonly logoutHint: string | undefined
  readonly uiLocales: readonly string[]
  /** The known parameters, unchanged, for the form of a page or a redirect to the same request. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/**
 * Parses the parameters of a logout request. Ignores unknown parameters.
 * @throws OAuthError invalid_request — reason `parameter_repeated` | `parameter_too_long`.
 */
export function parseLogoutRequest(parameters: Parameters): LogoutRequest {
  refuseRepeated(parameters)
  refuseTooLong(parameters, bounds)
  const uiLocales = preferredLocales(parameters)
  const known = [...bounds.keys()].map((name) => [name, parameters.get(name) ?? ''] as const)
  return {
    parameters,
    state: parameters.get('state'),
    logoutHint: parameters.get('logout_hint'),
    uiLocales,
    fields: [...known, ['ui_locales', uiLocales.join(' ')] as const].filter(([, value]) => value !== ''),
  }
}

/** The maximum length of each parameter in UTF-8 bytes. `ui_locales` has a separate limit. */
const bounds: ReadonlyMap<string, number> = new Map([
  ['id_token_hint', 8192],
  ['logout_hint', 1024],
  ['client_id', 1024],
  ['post_logout_redirect_uri', 2000],
  ['state', 1024],
])

/**
 * A `post_logout_redirect_uri` that is registered for the client of the request. Created only in this file, and
 * required by everything that redirects after a logout.
 */
type VerifiedLogoutReturn = Brand<string, 'VerifiedLogoutReturn'>

/** What a logout request proves. */
export interface LogoutEvidence {
  /** Proves that this server has signed in this user for this client. Without it, anybody may have sent the request. */
  readonly hint: IdTokenHint | undefined
  /** The client of the hint. Without a hint, the client that `client_id` names. */
  readonly client: ClientRecord | undefined
  readonly returnsTo: VerifiedLogoutReturn | undefined
  /** Why the request proves nothing. The user can still sign out, but is not returned to the client. */
  readonly problem: OAuthError | undefined
}

/**
 * Verifies the hint of a request, then its client, then the address to return to. If one of them is wrong, none of them
 * is used (RP-Initiated Logout §4).
 */
export async function proveLogoutRequest(
  { parameters }: LogoutRequest,
  deps: LogoutEvidenceDependencies,
): Promise<LogoutEvidence> {
  try {
    const hint = await verifyHint(parameters.get('id_token_hint'), deps)
    const client = await identifyLogoutClient(parameters, hint, deps.storage)
    return { hint, client, returnsTo: verifyLogoutReturn(parameters, client), problem: undefined }
  } catch (error) {
    // A failed proof does not end the request: the page shows the problem and still asks whether to sign out.
    if (error instanceof OAuthError) return { hint: undefined, client: undefined, returnsTo: undefined, problem: error }
    throw error
  }
}

export interface LogoutEvidenceDependencies extends VerifyOwnJwtDependencies {
  readonly storage: OAuthStorage
}

/**
 * Verifies the `id_token_hint`.
 * @throws OAuthError invalid_request — reason `logout_hint_invalid`.
 */
async function verifyHint(text: string | undefined, deps: VerifyOwnJwtDependencies): Promise<IdTokenHint | undefined> {
  if (text === undefined) return undefined
  const hint = await readIdTokenHint(text, deps)
  // RP-Initiated Logout §2: this server must have issued the hint, which may have expired.
  if (hint === undefined) throw refuse('logout_hint_invalid')
  return hint
}

/**
 * Finds the client of the hint or, without a hint, the client that `client_id` names.
 * @throws OAuthError invalid_request — reason `logout_client_contradicted` | `client_unknown` | `client_disabled`.
 */
async function identifyLogoutClient(
  parameters: Parameters,
  hint: IdTokenHint | undefined,
  storage: OAuthStorage,
): Promise<ClientRecord | undefined> {
  const named = parameters.get('client_id')
  // RP-Initiated Logout §2: the hint must have been issued to this client.
  if (hint !== undefined && named !== undefined && hint.clientId !== clientId(named))
    throw refuse('logout_client_contradicted', { clientId: hint.clientId })
  const id = hint?.clientId ?? named
  return id === undefined ? undefined : identifyClient(id, storage)
}

/**
 * Verifies that the requested return address is registered. Compares addresses like redirect URIs.
 * @throws OAuthError invalid_request — reason `logout_client_missing` | `logout_return_unregistered`.
 */
function verifyLogoutReturn(
  parameters: Parameters,
  client: ClientRecord | undefined,
): VerifiedLogoutReturn | undefined {
  const requested = parameters.get('post_logout_redirect_uri')
  if (requested === undefined) return undefined
  // RP-Initiated Logout §3: never redirect to an unregistered URI, and never for a request that names no client.
  const requestedRedirectUri = withoutSecrets(requested)
  if (client === undefined) throw refuse('logout_client_missing', { requestedRedirectUri })
  const { clientId, postLogoutRedirectUris } = client
  if (!isRegistered(requested, postLogoutRedirectUris)) {
    const nearestRedirectUri = nearestOf(requested, postLogoutRedirectUris)
    throw refuse('logout_return_unregistered', { clientId, requestedRedirectUri, nearestRedirectUri })
  }
  return requested as VerifiedLogoutReturn
}
