import type { ClientRecord, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { OAuthError, type OAuthErrorCode } from '../error/oauth-error.ts'
import type { RefusalReason } from '../error/refusal-reason.ts'
import type { VerifyOwnJwtDependencies } from '../keys/jws.ts'
import { idTokenAlgorithm } from '../keys/ring.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { refuseRepeated } from '../parameters/read-parameters.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'
import { requestedResources, type ResourceRegistry } from '../token/resources.ts'
import { isEssential, parseClaimsRequest, requestedValues } from './claims-request.ts'
import {
  hintedSubject,
  isEchoable,
  knownParameters,
  allowedSubjects,
  parseCodeChallenge,
  parsePrompt,
  preferredLocales,
  refuseTooLong,
  refuseUnsupported,
  type CodeChallenge,
  type Prompt,
} from './parameters.ts'
import type { VerifiedRedirect } from './proven-redirect.ts'
import { queryResponseMode, RedirectableError, type ResponseMode, type ResponseTarget } from './response.ts'
import { requestedScopes, scopesOfRequestedClaims, type ScopeRegistry } from './scopes.ts'

/** An authorization request that may go on (RFC 6749 §4.1.1, OIDC Core §3.1.2.1). */
export interface AuthorizationRequest {
  readonly client: ClientRecord
  readonly target: ResponseTarget
  /** What the tokens are to carry. */
  readonly scopes: readonly string[]
  /** What the person has to consent to: `scopes`, and those that open the claims asked for one by one. */
  readonly consentScopes: readonly string[]
  readonly resources: readonly string[]
  readonly codeChallenge: CodeChallenge
  readonly nonce: string | undefined
  readonly prompt: ReadonlySet<Prompt>
  /** Seconds since the last sign-in that are still good enough. */
  readonly maxAge: number | undefined
  readonly claimsRequest: JsonObject | undefined
  /** The authentication contexts that the client would like or insists on, best first. */
  readonly acrValues: readonly string[]
  /** The contexts without which the request fails; `undefined` when none is demanded (OIDC Core §5.5.1.1). */
  readonly essentialAcr: readonly JsonValue[] | undefined
  /** The only persons whom the client wants signed in; `undefined` when anybody will do. */
  readonly subjects: readonly string[] | undefined
  readonly loginHint: string | undefined
  readonly uiLocales: readonly string[]
  /** What the request was made of: proven again when an interaction goes on. */
  readonly parameters: Readonly<Record<string, string>>
}

/** What a server allows in an authorization request. */
export interface AuthorizationRequestRules extends VerifyOwnJwtDependencies {
  readonly responseModes: readonly ResponseMode[]
  readonly scopes: ScopeRegistry
  readonly resources: ResourceRegistry
  readonly dangerouslyAllowMissingPkceFor: ReadonlySet<string>
}

/**
 * Reads the rest of the request, now that the client may hear of errors.
 * @throws RedirectableError with what the parsers of the single parameters throw, and invalid_request — reason
 *   `response_type_missing` | `response_mode_unknown` | `max_age_invalid`; unsupported_response_type — reason
 *   `response_type_unsupported`; unauthorized_client — reason `grant_type_not_registered`.
 */
export async function parseAuthorizationRequest(
  parameters: Parameters,
  proven: { readonly client: ClientRecord; readonly redirect: VerifiedRedirect },
  rules: AuthorizationRequestRules,
): Promise<AuthorizationRequest> {
  const target = responseTarget(parameters, proven.redirect, rules.responseModes)
  try {
    refuseRepeated(parameters)
    refuseUnsupported(parameters)
    refuseTooLong(parameters)
    requireCodeResponse(parameters, proven.client)
    requireResponseMode(parameters, rules.responseModes)
    return await parseRest(parameters, { client: proven.client, target }, rules)
  } catch (error) {
    // RFC 6749 §4.1.2.1: the parsers know what is wrong; only here is it known where the client may hear of it.
    if (error instanceof OAuthError) throw new RedirectableError(error, target)
    throw error
  }
}

async function parseRest(
  parameters: Parameters,
  { client, target }: Pick<AuthorizationRequest, 'client' | 'target'>,
  rules: AuthorizationRequestRules,
): Promise<AuthorizationRequest> {
  const scopes = requestedScopes(parameters.get('scope'), client, rules.scopes)
  // OIDC Registration §2: an ID token that could not be signed is refused before anybody signs in for it.
  if (scopes.includes('openid')) idTokenAlgorithm(client, rules.keys)
  const claimsRequest = scopes.includes('openid') ? parseClaimsRequest(parameters.get('claims')) : undefined
  const hinted = await hintedSubject(parameters.get('id_token_hint'), rules)
  const acr = requestedValues(claimsRequest, 'id_token', 'acr')
  return {
    client,
    target,
    scopes,
    consentScopes: [...new Set([...scopes, ...scopesOfRequestedClaims(claimsRequest, client, rules.scopes)])],
    resources: requestedResources(parameters.all('resource'), rules.resources),
    codeChallenge: parseCodeChallenge(parameters, client, rules.dangerouslyAllowMissingPkceFor),
    nonce: parameters.get('nonce'),
    prompt: parsePrompt(parameters.get('prompt')),
    maxAge: parseMaxAge(parameters.get('max_age')) ?? client.defaultMaxAge,
    claimsRequest,
    acrValues: preferredAcr(acr ?? [], parameters.get('acr_values')),
    essentialAcr: isEssential(claimsRequest, 'id_token', 'acr') ? (acr ?? []) : undefined,
    subjects: allowedSubjects(hinted, requestedValues(claimsRequest, 'id_token', 'sub')),
    loginHint: parameters.get('login_hint'),
    uiLocales: preferredLocales(parameters),
    parameters: knownParameters(parameters),
  }
}

/** Where errors go: `state` as it came, and the requested response mode when there is such a one. */
function responseTarget(
  parameters: Parameters,
  redirect: VerifiedRedirect,
  responseModes: readonly ResponseMode[],
): ResponseTarget {
  const responseMode = responseModes.find(({ mode }) => mode === parameters.get('response_mode')) ?? queryResponseMode
  const state = parameters.isRepeated('state') ? undefined : parameters.get('state')
  return { redirect, responseMode, state: state !== undefined && isEchoable(state) ? state : undefined }
}

function requireCodeResponse(parameters: Parameters, client: ClientRecord): void {
  const responseType = parameters.get('response_type')
  // RFC 6749 §4.1.2.1.
  if (responseType === undefined)
    throw refusal('invalid_request', 'The response_type parameter is missing.', 'response_type_missing')
  // RFC 9700 §2.1.2: tokens do not travel through the browser's address bar.
  if (responseType !== 'code')
    throw refusal('unsupported_response_type', 'Only the response type code is supported.', 'response_type_unsupported')
  // RFC 6749 §4.1.2.1: unauthorized_client.
  if (!client.grantTypes.includes('authorization_code')) {
    throw refusal(
      'unauthorized_client',
      'The client is not registered for this grant type.',
      'grant_type_not_registered',
    )
  }
}

function requireResponseMode(parameters: Parameters, responseModes: readonly ResponseMode[]): void {
  const requested = parameters.get('response_mode')
  // OAuth 2.0 Multiple Response Type Encoding Practices §2.1.
  if (requested !== undefined && responseModes.every(({ mode }) => mode !== requested)) {
    throw refusal('invalid_request', 'This response_mode is not supported.', 'response_mode_unknown')
  }
}

/** OIDC Core §5.5.1.1: contexts are wished for in the claims parameter or in `acr_values`. */
const preferredAcr = (claimed: readonly JsonValue[], acrValues: string | undefined): readonly string[] => [
  ...new Set([...claimed.filter((value) => typeof value === 'string'), ...spaceSeparated(acrValues)]),
]

function parseMaxAge(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  // OIDC Core §3.1.2.1: a number of seconds.
  if (!/^[0-9]{1,9}$/.test(value))
    throw refusal('invalid_request', 'The max_age parameter is not a number of seconds.', 'max_age_invalid')
  return Number(value)
}

const refusal = (code: OAuthErrorCode, description: string, reason: RefusalReason): OAuthError =>
  new OAuthError(code, description, { reason })
