import type { ClientRecord } from '@mintmark/storage-interface'

import { OAuthError, type OAuthErrorCode } from '../error/oauth-error.ts'
import type { RefusalReason } from '../error/refusal-reason.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { refuseRepeated } from '../parameters/read-parameters.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'
import { parseCodeChallenge, type CodeChallenge } from './code-challenge.ts'
import { parsePrompt, type Prompt } from './prompt.ts'
import { RedirectableError } from './redirectable-error.ts'
import { requestedScopes } from './requested-scopes.ts'
import { queryResponseMode, type ResponseMode } from './response-mode.ts'
import type { ResponseTarget } from './response-target.ts'
import type { VerifiedRedirect } from './verify-redirect.ts'

/** An authorization request that may go on (RFC 6749 §4.1.1, OIDC Core §3.1.2.1). */
export interface AuthorizationRequest {
  readonly client: ClientRecord
  readonly target: ResponseTarget
  readonly scopes: readonly string[]
  readonly codeChallenge: CodeChallenge
  readonly nonce: string | undefined
  readonly prompt: ReadonlySet<Prompt>
  /** Seconds since the last sign-in that are still good enough. */
  readonly maxAge: number | undefined
  readonly loginHint: string | undefined
  readonly uiLocales: readonly string[]
  /** What the request was made of: proven again when an interaction goes on. */
  readonly parameters: Readonly<Record<string, string>>
}

export interface AuthorizationRequestRules {
  readonly responseModes: readonly ResponseMode[]
  /** Every scope value that the server knows, with its sentence for people. */
  readonly scopeDescriptions: ReadonlyMap<string, string>
  readonly dangerouslyAllowMissingPkceFor: ReadonlySet<string>
}

/**
 * Reads the rest of the request, now that the client may hear of errors.
 * @throws RedirectableError with every refusal of the parameters' own parsers, and invalid_request — reason
 *   `parameter_repeated` | `parameter_too_long` | `response_type_missing` | `response_mode_unknown` | `max_age_invalid`;
 *   unsupported_response_type, unauthorized_client, request_not_supported, request_uri_not_supported, registration_not_supported.
 */
export function parseAuthorizationRequest(
  parameters: Parameters,
  proven: { readonly client: ClientRecord; readonly redirect: VerifiedRedirect },
  rules: AuthorizationRequestRules,
): AuthorizationRequest {
  const target = responseTarget(parameters, proven.redirect, rules.responseModes)
  try {
    return parseRest(parameters, { client: proven.client, target }, rules)
  } catch (error) {
    // The parsers know what is wrong; only here is it known where the client may hear of it.
    if (error instanceof OAuthError) throw new RedirectableError(error, target)
    throw error
  }
}

function parseRest(
  parameters: Parameters,
  { client, target }: Pick<AuthorizationRequest, 'client' | 'target'>,
  rules: AuthorizationRequestRules,
): AuthorizationRequest {
  refuseRepeated(parameters)
  refuseUnsupported(parameters)
  refuseTooLong(parameters)
  requireCodeResponse(parameters, client)
  requireResponseMode(parameters, rules.responseModes)
  return {
    client,
    target,
    scopes: requestedScopes(parameters.get('scope'), client, rules.scopeDescriptions),
    codeChallenge: parseCodeChallenge(parameters, client, rules.dangerouslyAllowMissingPkceFor),
    nonce: parameters.get('nonce'),
    prompt: parsePrompt(parameters.get('prompt')),
    maxAge: parseMaxAge(parameters.get('max_age')) ?? client.defaultMaxAge,
    loginHint: parameters.get('login_hint'),
    uiLocales: preferredLocales(parameters),
    parameters: storedParameters(parameters),
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
  return { redirect, responseMode, state: state !== undefined && state.length <= maxLength ? state : undefined }
}

function refuseUnsupported(parameters: Parameters): void {
  for (const [name, code] of unsupportedParameters) {
    // OIDC Core §3.1.2.6: what is not supported is refused by its own code, never silently ignored.
    if (parameters.get(name) !== undefined) throw refusal(code, 'The request uses a parameter that is not supported.', 'parameter_unsupported')
  }
}

function refuseTooLong(parameters: Parameters): void {
  const isTooLong = boundedNames.some((name) => (parameters.get(name)?.length ?? 0) > maxLength)
  // What is stored, echoed or signed stays small. RFC 6749 sets no bound; this one is well above what clients send.
  if (isTooLong) throw refusal('invalid_request', 'A parameter is too long.', 'parameter_too_long')
}

function requireCodeResponse(parameters: Parameters, client: ClientRecord): void {
  const responseType = parameters.get('response_type')
  // RFC 6749 §4.1.2.1.
  if (responseType === undefined) throw refusal('invalid_request', 'The response_type parameter is missing.', 'response_type_missing')
  // RFC 9700 §2.1.2: tokens do not travel through the browser's address bar.
  if (responseType !== 'code') throw refusal('unsupported_response_type', 'Only the response type code is supported.', 'response_type_unsupported')
  // RFC 6749 §4.1.2.1: unauthorized_client.
  if (!client.grantTypes.includes('authorization_code')) {
    throw refusal('unauthorized_client', 'The client is not registered for this grant type.', 'grant_type_not_registered')
  }
}

function requireResponseMode(parameters: Parameters, responseModes: readonly ResponseMode[]): void {
  const requested = parameters.get('response_mode')
  // OAuth 2.0 Multiple Response Type Encoding Practices §2.1.
  if (requested !== undefined && responseModes.every(({ mode }) => mode !== requested)) {
    throw refusal('invalid_request', 'This response_mode is not supported.', 'response_mode_unknown')
  }
}

function parseMaxAge(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  // OIDC Core §3.1.2.1: a number of seconds.
  if (!/^[0-9]{1,9}$/.test(value)) throw refusal('invalid_request', 'The max_age parameter is not a number of seconds.', 'max_age_invalid')
  return Number(value)
}

/** The first few: the list is a wish, and a long one must not fail the request (OIDC Core §3.1.2.1). */
const preferredLocales = (parameters: Parameters): readonly string[] =>
  spaceSeparated(parameters.get('ui_locales'))
    .filter((locale) => /^[A-Za-z0-9-]{1,35}$/.test(locale))
    .slice(0, 10)

function storedParameters(parameters: Parameters): Readonly<Record<string, string>> {
  const stored: Record<string, string> = { ui_locales: preferredLocales(parameters).join(' ') }
  for (const name of [...boundedNames, 'scope']) {
    const value = parameters.get(name)
    if (value !== undefined) stored[name] = value
  }
  return stored
}

const refusal = (code: OAuthErrorCode, description: string, reason: RefusalReason): OAuthError =>
  new OAuthError(code, description, { reason })

const unsupportedParameters: readonly (readonly [name: string, code: OAuthErrorCode])[] = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
]

/**
 * The parameters that mean something here, beside `scope` and `ui_locales`, which have bounds of their own; all others
 * are ignored (RFC 6749 §3.1).
 */
const boundedNames = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'login_hint',
]

/** Characters of one parameter. */
const maxLength = 1024
