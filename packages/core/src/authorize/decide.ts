import type { EpochSeconds, GrantRecord, OAuthStorage } from '@mintmark/storage-interface'

import type { AuthenticationRecord, OrganizationRecord } from '@mintmark/storage-interface/stores'
import { refuse } from '../refusals.ts'
import { organizationScope, organizationsOfUser } from '../permissions/organization.ts'
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { type ProfileSettings, profileRules } from '../clients/security-profile.ts'
import type { ResourceRules } from '../permissions/resources.ts'
import { isConsented } from '../consent/consent-per-api.ts'
import { areAlreadyGranted, type DetailTypes } from '../permissions/detail-types.ts'
import type { UserRequest } from './request.ts'
import { RedirectableError } from './response.ts'

/** What is still needed before a code can be issued. */
export type InteractionDecision =
  | { readonly kind: 'login' }
  | { readonly kind: 'select_account'; readonly signedInUser: SignedInUser }
  | ({ readonly kind: 'consent'; readonly grant: GrantRecord | undefined } & SignedInMember)
  | ({ readonly kind: 'ready'; readonly grant: GrantRecord } & SignedInMember)

/** The absolute URLs of the host's pages. Without a URL for `select_account`, users sign in instead. */
export interface InteractionUrls {
  readonly login: string
  readonly consent: string
  readonly select_account: string | undefined
}

interface SignedInMember {
  readonly signedInUser: SignedInUser
  /** The organizations that the tokens may be for. If there are several, the user has to choose. */
  readonly organizations: readonly OrganizationRecord[]
}

/**
 * Decides what the user must still do (OIDC Core §3.1.2.3, §3.1.2.4).
 * @param arrival the user. `interaction`: `undefined` at the authorization endpoint, before an interaction starts.
 *   `isChosen`: the user has signed in or chosen their account in this interaction.
 */
export async function decideInteraction(
  request: UserRequest,
  arrival: {
    readonly signedInUser: SignedInUser | undefined
    readonly interaction: StartedInteraction | undefined
    readonly isChosen: boolean
  },
  deps: {
    readonly now: EpochSeconds
    readonly storage: OAuthStorage
    readonly detailTypes: DetailTypes
    readonly interactionUrls: InteractionUrls
    readonly rules: ResourceRules & ProfileSettings
  },
): Promise<InteractionDecision> {
  const { signedInUser, interaction, isChosen } = arrival
  if (signedInUser === undefined || needsLogin(request, { signedInUser, interaction }, deps)) return { kind: 'login' }
  // OIDC Core §3.1.2.1: a session alone does not satisfy select_account. Without a page for it, the user must sign in.
  if (request.prompt.has('select_account') && !isChosen)
    return deps.interactionUrls.select_account === undefined
      ? { kind: 'login' }
      : { kind: 'select_account', signedInUser }

  const { userId, generation } = signedInUser.user
  const unrevoked = await deps.storage.grants.findUnrevoked(userId, request.client.clientId)
  // A grant that was given before the user was last deactivated does not count.
  const grant = unrevoked?.userGeneration === generation ? unrevoked : undefined
  const isForOrganization = request.scopes.includes(organizationScope)
  const organizations = isForOrganization ? await findOrganizations(request, signedInUser, deps.storage) : []
  const mustChooseOrganization = organizations.length > 1
  // Client ID Metadata Document §8.3, RFC 7591 §5: if the name, a redirect host or a key of the client has changed, the
  // user must consent again.
  const isSameClient = grant?.clientDigest === request.client.documentDigest
  if (
    grant === undefined ||
    !isSameClient ||
    mustChooseOrganization ||
    request.prompt.has('consent') ||
    isImpersonable(request)
  )
    return { kind: 'consent', signedInUser, grant, organizations }
  const isCovered =
    isConsented(request, grant, deps.rules) &&
    (request.details.length === 0 || areAlreadyGranted(request.details, grant.authorizationDetails, deps.detailTypes))
  return { kind: isCovered ? 'ready' : 'consent', signedInUser, grant, organizations }
}

/**
 * Finds the organizations that the tokens may be for.
 * @throws RedirectableError access_denied — reason `organization_not_member`.
 */
async function findOrganizations(
  request: UserRequest,
  { user }: SignedInUser,
  storage: OAuthStorage,
): Promise<readonly OrganizationRecord[]> {
  const organizations = await organizationsOfUser(user.userId, request.organization, storage)
  if (organizations.length > 0) return organizations
  const context = { clientId: request.client.clientId, userId: user.userId }
  // RFC 6749 §4.1.2.1: the client asked for tokens for an organization, and must not get tokens without one.
  throw new RedirectableError(refuse('organization_not_member', context), request.target)
}

/**
 * Enforces `prompt=none`, which forbids any user interface (OIDC Core §3.1.2.6).
 * @throws RedirectableError login_required — reason `login_required`; consent_required — reason `consent_required`.
 */
export function enforcePromptNone(decision: InteractionDecision, request: UserRequest): void {
  if (!request.prompt.has('none') || decision.kind === 'ready') return
  const refusal = decision.kind === 'login' ? refuse('login_required') : refuse('consent_required')
  // OIDC Core §3.1.2.6.
  throw new RedirectableError(refusal, request.target)
}

/**
 * Whether another program on the device could impersonate the client: a public client has no credentials, and any
 * program can listen on loopback or claim a private-use scheme. Earlier consent may have been given to such a program
 * (RFC 8252 §8.6, RFC 6749 §10.2). A request from another device may be somebody else's (RFC 8628 §5.4).
 */
const isImpersonable = ({ client, target }: UserRequest): boolean =>
  target.kind === 'decoupled' || (client.tokenEndpointAuthMethod === 'none' && !target.redirect.startsWith('https:'))

/** The user at the authorization endpoint, or after the host's page. */
interface Arrival {
  readonly signedInUser: SignedInUser
  /** `undefined` before it starts. */
  readonly interaction: StartedInteraction | undefined
}

interface StartedInteraction {
  readonly startedAt: EpochSeconds
  /** The `authTime` of the session that the browser had when the interaction started. */
  readonly sessionAuthTime: EpochSeconds | undefined
}

/**
 * Whether the user must sign in (again) before the request can continue (OIDC Core §3.1.2.3).
 * @throws RedirectableError unmet_authentication_requirements — reason `acr_unmet`: the user has just signed in, but
 *   not in a way that the client requires; server_error — reason `authentication_context_missing`: the host does not say
 *   how the user signed in, which the profile of the client requires.
 */
function needsLogin(
  request: UserRequest,
  arrival: Arrival,
  { now, rules }: { readonly now: EpochSeconds; readonly rules: ProfileSettings },
): boolean {
  const { authentication, user } = arrival.signedInUser
  const isFresh = isNewSignIn(authentication.authTime, arrival.interaction)
  // OIDC Core §3.1.2.2: the client does not expect the user who is signed in.
  if (request.subjects?.includes(user.userId) === false) return true
  // OIDC Core §5.5.1.1: if an essential acr is not met, the user must sign in; if they just have, the request fails.
  if (isAcrUnmet(request, authentication.acr)) {
    if (isFresh) throw unmetAuthentication(request)
    return true
  }
  if (profileRules(request.client, rules).requiresAuthenticationContext) {
    const missing = missingContext(authentication, now)
    // IPSIE SL1 §3.2.1: the ID token says how the user signed in, and when the session ends.
    if (missing.length > 0 && isFresh) throw lackingContext(request, missing)
    if (missing.length > 0) return true
  }
  return !isFresh && (isTooOld(request, arrival, now) || isTooWeak(request, authentication.acr))
}

/** Whether a stronger sign-in could satisfy the request (RFC 9470 §5). It is asked for once, because it is voluntary. */
const isTooWeak = ({ sufficientAcr }: UserRequest, acr: string | undefined): boolean =>
  sufficientAcr.length > 0 && (acr === undefined || !sufficientAcr.includes(acr))

/**
 * Whether the user has signed in since the interaction started. The host's clock may be ahead: the session that the
 * browser had at the start is then dated after the start, and is recognized by its time.
 */
function isNewSignIn(authTime: EpochSeconds, interaction: StartedInteraction | undefined): boolean {
  if (interaction === undefined || authTime < interaction.startedAt) return false
  return authTime === interaction.startedAt || authTime !== interaction.sessionAuthTime
}

function isTooOld(request: UserRequest, { signedInUser }: Arrival, now: EpochSeconds): boolean {
  // OIDC Core §3.1.2.1: prompt=login always requires a new sign-in.
  if (request.prompt.has('login')) return true
  // OIDC Core §3.1.2.1: max_age=0 is equivalent to prompt=login.
  return (
    request.maxAge !== undefined &&
    (request.maxAge === 0 || now - signedInUser.authentication.authTime > request.maxAge)
  )
}

function isAcrUnmet(request: UserRequest, acr: string | undefined): boolean {
  if (request.essentialAcr === undefined) return false
  return acr === undefined || (request.essentialAcr.length > 0 && !request.essentialAcr.includes(acr))
}

const unmetAuthentication = (request: UserRequest): RedirectableError =>
  new RedirectableError(refuse('acr_unmet'), request.target)

/** Returns the members of the host's `SignedIn` that the ID token lacks. A session that has ended counts as none. */
function missingContext({ acr, amr, sessionExpiresAt }: AuthenticationRecord, now: EpochSeconds): readonly string[] {
  return [
    ...(acr === undefined ? ['acr'] : []),
    ...(amr.length === 0 ? ['amr'] : []),
    ...(sessionExpiresAt === undefined || sessionExpiresAt <= now ? ['expiresAt'] : []),
  ]
}

const lackingContext = ({ client, target }: UserRequest, missing: readonly string[]): RedirectableError =>
  new RedirectableError(
    refuse('authentication_context_missing', { clientId: client.clientId, missingMembers: missing }),
    target,
  )
