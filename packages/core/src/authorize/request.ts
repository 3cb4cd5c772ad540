// One file: all rules for an authorization request are in this file, because their order matters.

import { isSameResource, isStorable } from '@mintmark/internal'
import { decodeJwt } from 'jose/jwt/decode'

import type { ClientRecord, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { type ProfileRules, profileRules, type ProfileSettings, requireProfile } from '../clients/security-profile.ts'
import { chosenAlgorithm, idTokenAlgorithm } from '../keys/jws.ts'
import { type Parameters, refuseRepeated, splitAtSpaces } from '../parameters.ts'
import { beginningOf, OAuthError, refuse, withoutSecrets } from '../refusals.ts'
import { requestedResources, requireResource, type ResourceRules, usableScopes } from '../permissions/resources.ts'
import {
  isEssential,
  parseClaimsRequest,
  requestedValues,
  omittedScopes,
  requestedScopes,
  scopesOfRequestedClaims,
  type ScopeRegistry,
} from '../permissions/scopes.ts'
import { organizationScope } from '../permissions/organization.ts'
import {
  claimedUsers,
  hintedSubject,
  isEchoable,
  knownParameters,
  allowedSubjects,
  type SubjectRules,
  parseCodeChallenge,
  parseDpopJkt,
  parsePrompt,
  preferredLocales,
  refuseTooLong,
  refuseUnsupported,
  type CodeChallenge,
  type Prompt,
} from './parameters.ts'
import { parseDetails, refuseOtherLocations, resourcesWithoutDetails } from '../permissions/authorization-details.ts'
import type { DetailTypes } from '../permissions/detail-types.ts'
import type { VerifiedRedirect } from '../clients/proven-redirect.ts'
import { keepPushed, type PushedReference } from './sealed-push.ts'
import {
  fragmentResponseMode,
  jwtResponseMode,
  queryResponseMode,
  RedirectableError,
  type ResponseMode,
  responseModes,
  type DecoupledTarget,
  type RedirectTarget,
} from './response.ts'

/** What a user decides about: an authorization request, or a request that the client made on another device. */
export type UserRequest = AuthorizationRequest | DecoupledRequest

/** A request that the client made on another device (RFC 8628), and polls. */
export interface DecoupledRequest extends RequestedAccess {
  readonly target: DecoupledTarget
}

export const isDecoupled = (request: UserRequest): request is DecoupledRequest => request.target.kind === 'decoupled'

interface RequestedAccess {
  readonly client: ClientRecord
  /** The scope values for the tokens. */
  readonly scopes: readonly string[]
  /** The requested scope values that the tokens cannot have, for an event. */
  readonly omittedScopes: readonly string[]
  /** The scope values that need consent: `scopes`, and the scope values that contain individually requested claims. */
  readonly consentScopes: readonly string[]
  /** The APIs that the tokens are for. */
  readonly resources: readonly string[]
  /** The APIs that need consent: all except this server. */
  readonly consentResources: readonly string[]
  /** The authorization details that the client requests, in the form that tokens contain (RFC 9396). */
  readonly details: readonly JsonObject[]
  readonly prompt: ReadonlySet<Prompt>
  /** The maximum age of the last sign-in, in seconds. */
  readonly maxAge: number | undefined
  readonly claimsRequest: JsonObject | undefined
  /** The authentication contexts that the client prefers or requires, best first. */
  readonly acrValues: readonly string[]
  /** The contexts of which one is required; `undefined` when none is (OIDC Core §5.5.1.1). */
  readonly essentialAcr: readonly JsonValue[] | undefined
  /** The contexts that satisfy `acrValues`, as far as the host ranks them; empty when any sign-in does. */
  readonly sufficientAcr: readonly JsonValue[]
  /** The only users that the client accepts; `undefined` when it accepts anybody. */
  readonly subjects: readonly string[] | undefined
  /** The organization that the request names, by identifier or name. */
  readonly organization: string | undefined
  readonly loginHint: string | undefined
  readonly uiLocales: readonly string[]
  /**
   * The parameters that are kept, and validated again when an interaction continues. For a stored pushed request these
   * are its `client_id` and `request_uri`.
   */
  readonly parameters: Readonly<Record<string, string>>
}

/** A validated authorization request (RFC 6749 §4.1.1, OIDC Core §3.1.2.1). */
export interface AuthorizationRequest extends RequestedAccess {
  readonly target: RedirectTarget
  readonly codeChallenge: CodeChallenge
  /** The thumbprint of the DPoP key that the code is bound to (RFC 9449 §10). */
  readonly dpopJkt: string | undefined
  readonly nonce: string | undefined
  /** The pushed request that is consumed when a code is issued; `undefined` when the browser sent the parameters. */
  readonly pushed: PushedReference | undefined
}

/** The server's rules for authorization requests. */
export interface AuthorizationRequestRules extends SubjectRules, ResourceRules, ProfileSettings {
  readonly scopes: ScopeRegistry
  readonly detailTypes: DetailTypes
  readonly defaultAudience: string
  /** Whether every client must push its requests. */
  readonly requirePushedRequests: boolean
  /** The authentication context classes that the host ranks, weakest first. */
  readonly acrRanks: readonly string[]
  /** Whether clients may query and revoke grants. */
  readonly managesGrants: boolean
}

/**
 * How a request arrived: the browser sent its parameters (`plain`), the client is pushing them (`pushing`), the client
 * pushed them earlier (`pushed`, RFC 9126), or an interaction continues with them (`continued`). `isSigned`: the
 * parameters come from a request object (RFC 9101).
 */
export type RequestForm =
  | { readonly kind: 'plain' | 'pushing'; readonly isSigned: boolean }
  | { readonly kind: 'pushed'; readonly pushed: PushedReference }
  | { readonly kind: 'continued' }

/** What is known about a request before its parameters are validated. */
interface ProvenRequest {
  readonly client: ClientRecord
  readonly redirect: VerifiedRedirect
  readonly form: RequestForm
}

/**
 * Validates the rest of the request, now that errors may be returned to the client.
 * @throws RedirectableError with the errors of the parameter parsers, and invalid_request — reason
 *   `response_type_missing` | `response_mode_unknown` | `max_age_invalid` | `push_required` |
 *   `grant_action_unsupported` | `request_object_required`; unsupported_response_type — reason
 *   `response_type_unsupported`; unauthorized_client — reason `grant_type_not_registered`.
 */
export async function parseAuthorizationRequest(
  parameters: Parameters,
  proven: ProvenRequest,
  rules: AuthorizationRequestRules,
): Promise<AuthorizationRequest> {
  const target = responseTarget(parameters, proven)
  try {
    refuseRepeated(parameters)
    refuseUnsupported(parameters)
    if (rules.managesGrants) refuseGrantActions(parameters)
    refuseTooLong(parameters)
    const profile = requireProfile(proven.client, rules)
    requirePushed(proven, rules.requirePushedRequests || profile.requiresPushedRequests)
    requireSigned(proven, profile)
    requirePkce(parameters, profile)
    requireResource(parameters, profile)
    requireCodeResponse(parameters, proven.client)
    requireResponseMode(parameters, target)
    // JARM §3: refuse an algorithm that the server cannot sign with before the user signs in.
    if (target.signature !== undefined) chosenAlgorithm(target.signature.algorithm, rules.keys)
    return await parseRest(parameters, { ...proven, target }, rules)
  } catch (error) {
    // RFC 6749 §4.1.2.1: parsers throw errors without a redirect target; this function adds the target.
    if (error instanceof OAuthError) throw new RedirectableError(error, target)
    throw error
  }
}

/** Refuses parameters that select a grant: a user and a client have one grant, to which each consent adds. */
function refuseGrantActions(parameters: Parameters): void {
  // Grant Management §5.2: if they were ignored, the client would believe that it got the grant that it selected.
  if (parameters.get('grant_management_action') !== undefined || parameters.get('grant_id') !== undefined)
    throw refuse('grant_action_unsupported')
}

async function parseRest(
  parameters: Parameters,
  { client, target, form }: ProvenRequest & Pick<AuthorizationRequest, 'target'>,
  rules: AuthorizationRequestRules,
): Promise<AuthorizationRequest> {
  const access = await requestedAccess(parameters, client, rules)
  const { requested, scopes, resources, details } = access
  const claimsRequest = requested.includes('openid') ? parseClaimsRequest(parameters.get('claims')) : undefined
  const hint = parameters.get('id_token_hint')
  const hinted = hint === undefined ? undefined : await hintedSubject(hint, client, rules)
  const subjects = requestedValues(claimsRequest, 'id_token', 'sub')
  const claimed = subjects === undefined ? undefined : await claimedUsers(subjects, client, rules)
  const acr = requestedValues(claimsRequest, 'id_token', 'acr')
  const acrValues = preferredAcr(acr ?? [], parameters.get('acr_values'))
  return {
    client,
    target,
    scopes,
    omittedScopes: omittedScopes(parameters.get('scope'), scopes),
    consentScopes: [...new Set([...scopes, ...scopesOfRequestedClaims(claimsRequest, client, rules.scopes)])],
    resources,
    consentResources: resources.filter((uri) => uri !== rules.issuer),
    details,
    codeChallenge: parseCodeChallenge(parameters, client),
    dpopJkt: parseDpopJkt(parameters),
    nonce: parameters.get('nonce'),
    prompt: parsePrompt(parameters.get('prompt')),
    maxAge: parseMaxAge(parameters.get('max_age')) ?? client.defaultMaxAge,
    claimsRequest,
    acrValues,
    essentialAcr: isEssential(claimsRequest, 'id_token', 'acr') ? withStronger(acr ?? [], rules.acrRanks) : undefined,
    sufficientAcr: sufficientAcrOf(acrValues, rules.acrRanks),
    subjects: allowedSubjects(hinted, claimed),
    organization: parseOrganization(parameters.get('organization'), { scopes, registry: rules.scopes }),
    loginHint: parameters.get('login_hint'),
    uiLocales: preferredLocales(parameters),
    parameters:
      form.kind === 'pushed' ? keepPushed(form.pushed, knownParameters(parameters)) : knownParameters(parameters),
    pushed: form.kind === 'pushed' ? form.pushed : undefined,
  }
}

/**
 * Determines what a client requests: scope values, APIs and authorization details.
 * @returns `requested`: all scope values, also those that no token would have.
 * @throws OAuthError with the errors of `requestedScopes`, `requestedResources`, `parseDetails` and `usableScopes`.
 */
export async function requestedAccess(
  parameters: Parameters,
  client: ClientRecord,
  rules: AuthorizationRequestRules,
): Promise<Pick<AuthorizationRequest, 'scopes' | 'resources' | 'details'> & { readonly requested: readonly string[] }> {
  const requested = requestsOnlyDetails(parameters) ? [] : requestedScopes(parameters.get('scope'), client, rules)
  // OIDC Registration §2: refuse an algorithm that the server cannot sign with before the user signs in.
  if (requested.includes('openid')) idTokenAlgorithm(client, rules.keys)
  const named = parameters.all('resource')
  const resources = profileRules(client, rules).identityOnly
    ? onlyUserinfo({ named, client }, rules)
    : requestedResources({ named, scopes: requested, client }, rules)
  const stated = parameters.get('authorization_details')
  const details = stated === undefined ? [] : await requestedDetails(stated, { client, resources }, rules)
  const bare = resourcesWithoutDetails(resources, details, rules.detailTypes)
  // No token would have the others, so the user does not decide on them.
  const scopes = usableScopes(requested, { resources, bare }, rules)
  return { requested, scopes, resources, details }
}

/**
 * Returns the issuer, which serves userinfo, as the only resource of a client whose tokens are for nothing else.
 * @throws OAuthError invalid_target — reason `resource_not_registered`.
 */
function onlyUserinfo(
  { named, client }: { readonly named: readonly string[]; readonly client: ClientRecord },
  { issuer }: AuthorizationRequestRules,
): readonly string[] {
  const apis = named.filter((uri) => !isSameResource(uri, issuer))
  // IPSIE SL1 §3.2.1.
  if (apis.length > 0)
    throw refuse('resource_not_registered', {
      clientId: client.clientId,
      refusedResources: apis.slice(0, 20).map(withoutSecrets),
    })
  return [issuer]
}

/** RFC 9396 §3: a request may have details instead of scope values. */
const requestsOnlyDetails = (parameters: Parameters): boolean =>
  parameters.get('scope') === undefined && parameters.get('authorization_details') !== undefined

/**
 * @throws OAuthError invalid_authorization_details — like `parseDetails`, and reason `detail_location_not_requested`.
 */
async function requestedDetails(
  text: string,
  { client, resources }: Pick<AuthorizationRequest, 'client' | 'resources'>,
  { detailTypes: types, defaultAudience }: AuthorizationRequestRules,
): Promise<readonly JsonObject[]> {
  const details = await parseDetails(text, { client, types })
  refuseOtherLocations(details, resources.length === 0 ? [defaultAudience] : resources, types)
  return details
}

/**
 * Reads the organization that the request names; a server without organizations ignores it, like any unknown parameter.
 */
function parseOrganization(
  named: string | undefined,
  { scopes, registry }: { readonly scopes: readonly string[]; readonly registry: ScopeRegistry },
): string | undefined {
  if (named === undefined || !registry.has(organizationScope)) return undefined
  // RFC 6749 §4.1.2.1: otherwise the client would get tokens without an organization and believe they are for this one.
  if (!scopes.includes(organizationScope)) throw refuse('organization_without_scope')
  return named
}

/** Refuses a request that the client has not pushed, if the client or the server requires it. */
function requirePushed({ client, form }: ProvenRequest, isRequiredOfAllClients: boolean): void {
  const isRequired = client.requirePushedAuthorizationRequests || isRequiredOfAllClients
  if (isRequired && form.kind === 'plain') throw refuse('push_required', { clientId: client.clientId })
}

/** Refuses a request without PKCE, whatever the client is registered for. */
function requirePkce(parameters: Parameters, { requiresPkce }: ProfileRules): void {
  // FAPI 2.0 SP §5.3.2.2.
  if (requiresPkce && parameters.get('code_challenge') === undefined) throw refuse('code_challenge_missing')
}

/** Refuses a request without a request object, if the client must sign its requests. */
function requireSigned({ client, form }: ProvenRequest, { requiresRequestObjects }: ProfileRules): void {
  const isRequired = client.requireSignedRequestObject || requiresRequestObjects
  if (!isRequired || (form.kind !== 'plain' && form.kind !== 'pushing')) return
  // RFC 9101 §10.5: otherwise an attacker could leave out the signature.
  if (!form.isSigned) throw refuse('request_object_required', { clientId: client.clientId })
}

/**
 * Determines where and how errors are returned: with `state` as received, and in the requested response mode if it is
 * supported. If the server cannot verify the client's request objects, it refuses them, but still reads from the object
 * how the client expects the error, unless the parameters say so (OIDC Core §6.1). The signature does not matter for
 * this: anybody can send the same values as parameters.
 */
function responseTarget(parameters: Parameters, { redirect, client }: ProvenRequest): RedirectTarget {
  const { authorizationSignedResponseAlg: algorithm } = client
  const object = claimsOfRequestObject(parameters.get('request'))
  const stringParameter = (name: string): string | undefined => {
    const value = object[name]
    return parameters.get(name) ?? (typeof value === 'string' && value !== '' ? value : undefined)
  }
  const requested = stringParameter('response_mode')
  const isSigned = algorithm !== undefined
  const responseMode =
    responseModes.find((known) => known.mode === requested && known.isSigned === isSigned) ??
    (isSigned ? jwtResponseMode : defaultResponseMode(stringParameter('response_type')))
  const state = parameters.isRepeated('state') ? undefined : stringParameter('state')
  return {
    kind: 'redirect',
    redirect,
    responseMode,
    state: state !== undefined && isEchoable(state) ? state : undefined,
    signature: algorithm === undefined ? undefined : { client, algorithm },
  }
}

/** OAuth 2.0 Multiple Response Type Encoding Practices §2.1, §5: response types with tokens default to the fragment. */
const defaultResponseMode = (responseType: string | undefined): ResponseMode =>
  splitAtSpaces(responseType).some((type) => type === 'token' || type === 'id_token')
    ? fragmentResponseMode
    : queryResponseMode

function claimsOfRequestObject(jwt: string | undefined): Readonly<Record<string, unknown>> {
  if (jwt === undefined || jwt.length > maxRequestObject) return {}
  try {
    const claims = decodeJwt(jwt)
    // RFC 3986 §2.5: half a surrogate pair cannot be returned in a URL.
    return isStorable(claims) ? claims : {}
  } catch {
    // jose throws if the string is not a JWT.
    return {}
  }
}

/** The maximum length in characters. */
const maxRequestObject = 8192

function requireCodeResponse(parameters: Parameters, client: ClientRecord): void {
  const responseType = parameters.get('response_type')
  if (responseType === undefined) throw refuse('response_type_missing')
  // RFC 9700 §2.1.2: tokens are not returned in a redirect.
  if (responseType !== 'code') throw refuse('response_type_unsupported', { requestedValue: beginningOf(responseType) })
  // RFC 6749 §4.1.2.1: unauthorized_client.
  if (!client.grantTypes.includes('authorization_code')) throw refuse('grant_type_not_registered')
}

/**
 * Refuses unsigned response modes for a client that is registered for signed responses, and signed modes for others
 * (JARM §3).
 */
function requireResponseMode(parameters: Parameters, { responseMode }: RedirectTarget): void {
  const requested = parameters.get('response_mode')
  if (requested !== undefined && requested !== responseMode.mode)
    throw refuse('response_mode_unknown', { requestedValue: beginningOf(requested) })
}

/** Returns the contexts that satisfy `acr_values`, as far as the host ranks them. */
export const sufficientAcrOf = (acrValues: readonly string[], ranks: readonly string[]): readonly JsonValue[] =>
  withStronger(
    acrValues.filter((value) => ranks.includes(value)),
    ranks,
  )

/** Adds the contexts that the host ranks above one of the values. */
function withStronger(values: readonly JsonValue[], ranks: readonly string[]): readonly JsonValue[] {
  const weakest = ranks.findIndex((rank) => values.includes(rank))
  return weakest === -1 ? values : [...new Set([...values, ...ranks.slice(weakest)])]
}

/** Contexts are requested in the claims parameter or in `acr_values` (OIDC Core §5.5.1.1). */
const preferredAcr = (claimed: readonly JsonValue[], acrValues: string | undefined): readonly string[] => [
  ...new Set([...claimed.filter((value) => typeof value === 'string'), ...splitAtSpaces(acrValues)]),
]

function parseMaxAge(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  // OIDC Core §3.1.2.1: a number of seconds.
  if (!/^[0-9]{1,9}$/.test(value)) throw refuse('max_age_invalid', { requestedValue: beginningOf(value) })
  return Number(value)
}
