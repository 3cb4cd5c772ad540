// One file: every answer to an interaction passes these steps, and their order matters.

import { type ClientRecord, type JsonObject } from '@mintmark/storage-interface'

import {
  aListOfStrings,
  anObject,
  aString,
  checkOptions,
  listOf,
  redirect,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import type { OrganizationId, OrganizationRecord } from '@mintmark/storage-interface/stores'
import type { ServerOccurrence } from '../events.ts'
import { refuse } from '../refusals.ts'
import { describesItself } from '../clients/client-documents.ts'
import { joinSession } from '../sessions/join-session.ts'
import { identifyUser, isFromFuture, loginOf, type SignedIn, type SignedInUser } from '../sessions/signed-in-user.ts'
import { organizationScope } from '../permissions/organization.ts'
import { requireNavigation } from '../sessions/browser.ts'
import { codeIssuedEvent, type DecidedAccess, issueCode, limitCodes } from './code.ts'
import { consumeForCode, consumeForDenial, deriveCodeSecret } from './consume-interaction.ts'
import { saveGrant } from '../consent/consent.ts'
import { grantedResources } from '../consent/consent-per-api.ts'
import { detailId, enrichDetail } from '../permissions/authorization-details.ts'
import { type DetailTypes, isRemembered } from '../permissions/detail-types.ts'
import {
  answerDecoupled,
  consumeAndDeny,
  denialResponse,
  denyInteraction,
  findDenialReason,
  recordDenial,
  shownOf,
} from './deny-interaction.ts'
import type { CompleteInteractionDependencies, InteractionStep } from './interaction-step.ts'
import { decideInteraction, type InteractionDecision } from './decide.ts'
import { approveDecoupled } from './decoupled-request.ts'
import { isDecoupled, type UserRequest } from './request.ts'
import { authorizationResponse, RedirectableError } from './response.ts'
import { interactionLocation, type InteractionDependencies, pageUrl } from './start-interaction.ts'

/**
 * The decision of the host's page: who signed in, what they consent to, or both. Anything left out is asked for next.
 */
export type InteractionAnswer = (SignedIn | { readonly subject?: undefined }) & {
  /** Set when the user chose, on the account selection page, the account that `accountName` names. */
  readonly account?: 'signed_in' | undefined
  /**
   * The scope values that the user consents to. Values that were not requested are ignored; an empty list denies the
   * request.
   */
  readonly grantedScopes?: readonly string[] | undefined
  /**
   * The details that the user granted, by their `id`, with what the user chose for `enrich`. Required when the pending
   * interaction has `details`, which the page must have shown. An empty list denies the request.
   */
  readonly grantedDetails?: readonly GrantedDetail[] | undefined
  /** The organization that the tokens are for: one of `organizations` of the pending interaction, by its identifier. */
  readonly organization?: string | undefined
}

interface GrantedDetail {
  readonly id: string
  /** What the user chose, for `enrich` of the type. It comes from a form. */
  readonly choice?: unknown
}

/** Continues the interaction: responds to the client when it is complete, or redirects to the host's next page. */
export async function completeInteraction(
  answer: InteractionAnswer,
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<ServerResponse> {
  const { request, handle } = step
  requireNavigation(step.http)
  const granted = grantedScopes(answer, request)
  const isDenied = deniesRequest({ granted, answer }, request)
  if (isDenied && !isSignIn(answer)) return denyInteraction(step, deps)

  // OIDC Core §3.1.2.3: the host's session is from a server whose clock is ahead. It is ignored, as in every other step.
  if (isSignIn(answer) && isFromFuture(answer, step.now)) {
    recordInsufficient({ userId: answer.subject, reason: 'in_future' }, step, deps)
    return redirect(interactionLocation(deps.interactionUrls.login, handle))
  }
  const signedInUser = isSignIn(answer) ? await identifyUser(answer, step.now, deps.storage) : step.user
  if (isSignIn(answer) && signedInUser === undefined) {
    const reason = await findDenialReason(answer, deps.storage)
    const denial = { reason, userId: answer.subject }
    if (reason !== 'user_inactive') return consumeAndDeny(denial, step, deps)
    if (await consumeForDenial(step, deps)) recordDenial(denial, step, deps)
    // RFC 6749 §4.1.2.1 lets the server inform the user instead: the client could not tell the user why the sign-in
    // failed, and only the user's administrator can help.
    throw refuse('user_inactive_page', { clientId: request.client.clientId, userId: answer.subject })
  }
  if (isDenied) return denyInteraction({ ...step, user: signedInUser }, deps)
  const isChosen = step.isStored || isSignIn(answer) || answer.account === 'signed_in'
  const decision = await decideNext({ ...step, isChosen }, signedInUser, deps)
  if (isSignIn(answer) && decision.kind === 'login') {
    const isOther = request.subjects?.includes(answer.subject) === false
    recordInsufficient({ userId: answer.subject, reason: isOther ? 'other_user' : 'not_new' }, step, deps)
  }
  if (decision.kind === 'login' || decision.kind === 'select_account')
    return redirect(interactionLocation(pageUrl(decision, deps.interactionUrls), handle))
  const needsChoice = decision.organizations.length > 1 && granted?.includes(organizationScope) !== false
  if (decision.kind === 'consent' && (granted === undefined || (needsChoice && answer.organization === undefined)))
    return askConsent(decision.signedInUser, step, deps)
  return grantAccess({ answer, granted, decision }, step, deps)
}

const recordInsufficient = (
  signIn: Pick<Extract<ServerOccurrence, { readonly type: 'sign_in.insufficient' }>, 'userId' | 'reason'>,
  { http, request }: InteractionStep,
  { journal }: Pick<CompleteInteractionDependencies, 'journal'>,
): void => journal.record(http, { type: 'sign_in.insufficient', clientId: request.client.clientId, ...signIn })

/**
 * Checks the types of the decision. A host that is not type-checked may pass a text of its form as `grantedScopes`, which
 * would grant every scope value that is a part of the text.
 * @throws TypeError that names the member.
 */
export function checkDecision({
  grantedScopes: scopes,
  grantedDetails: details,
  organization,
}: InteractionAnswer): void {
  const decision = { grantedScopes: scopes, grantedDetails: details, organization }
  checkOptions<Pick<InteractionAnswer, keyof typeof decision>>('complete', decision, {
    grantedScopes: aListOfStrings,
    grantedDetails: listOf(anObject),
    organization: aString,
  })
}

/** Records the user's consent and issues the code, or denies the request if the user has granted too little of it. */
async function grantAccess(
  given: Given & { readonly decision: Extract<InteractionDecision, { readonly kind: 'consent' | 'ready' }> },
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<ServerResponse> {
  const { granted, decision } = given
  const { request, http, now } = step
  const { signedInUser } = decision
  const decided = await decideAccess(given, request, deps)
  if (decided === undefined) return denyInteraction({ ...step, user: signedInUser }, deps)

  const allowance = await limitCodes({ request, signedInUser }, now, deps)
  if (describesItself(request.client)) await storeDocumentClient(request.client, http, deps)
  const session = await joinSession({ http, clientId: request.client.clientId, signedInUser }, now, deps)
  // The user signed out in another tab meanwhile.
  if (session === undefined) return redirect(interactionLocation(deps.interactionUrls.login, step.handle))
  const repeated = await consumeForCode({ ...decided, user: signedInUser.user }, step, deps)
  if (repeated !== undefined && !isDecoupled(request))
    return authorizationResponse(repeated, request.target, { ...deps, now })
  const grant =
    decision.kind === 'ready' && granted === undefined
      ? decision.grant
      : await saveGrant(consentOf(decided, signedInUser, deps), now, deps)
  if (grant === undefined) {
    const denial = { reason: 'user_inactive', userId: signedInUser.user.userId } as const
    recordDenial(denial, step, deps)
    return denialResponse(denial, step, deps)
  }
  const access = { ...decided, allowance, grant, authentication: signedInUser.authentication, session }
  if (isDecoupled(request)) {
    await approveDecoupled({ ...access, request }, now, deps)
    const approved = { decision: 'approved', userId: grant.userId, grantId: grant.grantId } as const
    return answerDecoupled({ ...approved, scopes: decided.consented }, request, { http, deps })
  }
  const subject = { ...access, request, secret: await deriveCodeSecret(step.record, deps) }
  const code = await issueCode(subject, now, deps)
  deps.journal.record(http, codeIssuedEvent(subject))
  return authorizationResponse(code, request.target, { ...deps, now })
}

/** What the user answered. */
interface Given {
  readonly answer: InteractionAnswer
  /** The granted scope values; `undefined` when earlier consent covers the request. */
  readonly granted: readonly string[] | undefined
  readonly decision: { readonly organizations: readonly OrganizationRecord[] }
}

/**
 * Determines the access that the user gives.
 * @returns `undefined` if it is too little for any token.
 */
export async function decideAccess(
  { answer, granted, decision }: Given,
  request: UserRequest,
  deps: CompleteInteractionDependencies,
): Promise<DecidedAccess | undefined> {
  const organizationId = chosenOrganization(answer, decision.organizations, request)
  const details = await grantedDetails(answer, { request, isAsked: granted !== undefined }, deps.detailTypes)
  const consented = granted ?? request.consentScopes
  const resources = grantedResources(request, { scopes: consented, details }, deps)
  // RFC 6749 §4.1.2.1: access_denied. The user granted nothing that the requested APIs could give access to.
  if (resources.length === 0 && request.resources.length > 0) return undefined
  return { request, consented, resources, details, organizationId }
}

/** Returns the consent as a grant keeps it. */
export const consentOf = (
  { request, consented, resources, details }: DecidedAccess,
  signedInUser: SignedInUser,
  { detailTypes }: Pick<CompleteInteractionDependencies, 'detailTypes'>,
): Parameters<typeof saveGrant>[0] => ({
  clientId: request.client.clientId,
  clientDigest: request.client.documentDigest,
  signedInUser,
  scopes: consented,
  resources: resources.filter((uri) => request.consentResources.includes(uri)),
  audience: request.resources.length === 0 ? 'default' : 'apis',
  authorizationDetails: details.filter((detail) => isRemembered(detail, detailTypes)),
  shown: shownOf(request),
})

/**
 * Returns the requested scope values that the user granted; `undefined` when the user has not decided. A manipulated
 * form cannot grant more than was requested (RFC 6749 §3.3). A request may have no scope values (RFC 9396 §3).
 */
export function grantedScopes(
  { grantedScopes: given, grantedDetails: details }: InteractionAnswer,
  { consentScopes }: UserRequest,
): readonly string[] | undefined {
  if (given === undefined) return consentScopes.length === 0 && details !== undefined ? [] : undefined
  return consentScopes.filter((scope) => given.includes(scope))
}

/** Whether an answer says neither who the user is nor what the user consents to. */
export const leavesConsentOpen = (answer: InteractionAnswer, request: UserRequest): boolean =>
  !isSignIn(answer) && answer.account === undefined && grantedScopes(answer, request) === undefined

export function deniesRequest(
  {
    granted,
    answer: { grantedDetails: details },
  }: { readonly granted: readonly string[] | undefined; readonly answer: InteractionAnswer },
  request: UserRequest,
): boolean {
  if (request.details.length === 0) return granted?.length === 0
  const chosen = details && request.details.filter((_, index) => details.some(({ id }) => id === detailId(index)))
  return chosen?.length === 0 || (granted?.length === 0 && request.consentScopes.length > 0)
}

/**
 * Returns the requested details that the user granted, with what the user chose.
 * @throws OAuthError invalid_request — reason `details_undecided`: the page passed no decision about the details, so the
 *   user may not have seen them; invalid_authorization_details — reason `detail_invalid`.
 */
async function grantedDetails(
  { grantedDetails: given }: InteractionAnswer,
  { request, isAsked }: { readonly request: UserRequest; readonly isAsked: boolean },
  types: DetailTypes,
): Promise<readonly JsonObject[]> {
  // If no page was shown, remembered consent covers all details.
  if (request.details.length === 0 || (given === undefined && !isAsked)) return request.details
  // RFC 9396 §11.1: the user decides about each detail.
  if (given === undefined) throw refuse('details_undecided', { clientId: request.client.clientId })
  const choices = new Map(given.map(({ id, choice }) => [id, choice]))
  const chosen = request.details.map((detail, index) => ({ detail, id: detailId(index) }))
  return Promise.all(
    chosen.filter(({ id }) => choices.has(id)).map(({ detail, id }) => enrichDetail(detail, choices.get(id), types)),
  )
}

/** Returns the organization that the user chose. A manipulated form can choose only among the user's organizations. */
function chosenOrganization(
  { organization }: InteractionAnswer,
  organizations: readonly OrganizationRecord[],
  { target }: UserRequest,
): OrganizationId | undefined {
  if (organization === undefined) return organizations[0]?.organizationId
  const chosen = organizations.find(({ organizationId }) => organizationId === organization)
  // RFC 6749 §4.1.2.1: the user is not a member, or left the organization while the page was open.
  if (chosen === undefined) throw new RedirectableError(refuse('organization_not_member'), target)
  return chosen.organizationId
}

/** Stores a client that publishes its own metadata, after a user has consented to it. */
export async function storeDocumentClient(
  client: ClientRecord,
  http: ServerRequest,
  { clientDocuments, journal }: Pick<InteractionDependencies, 'clientDocuments' | 'journal'>,
): Promise<void> {
  const { clientId } = client
  if ((await clientDocuments.keep(client)) === 'changed') journal.record(http, { type: 'client.changed', clientId })
}

/** Decides what this step still needs. */
export const decideNext = (
  step: InteractionStep & { readonly isChosen: boolean },
  signedInUser: SignedInUser | undefined,
  deps: CompleteInteractionDependencies,
): Promise<InteractionDecision> =>
  decideInteraction(
    step.request,
    {
      signedInUser,
      interaction: { startedAt: step.record.createdAt, sessionAuthTime: step.sessionAuthTime },
      isChosen: step.isChosen,
    },
    { ...deps, now: step.now },
  )

/** Records who signed in, and redirects to the host's consent page. */
async function askConsent(
  signedInUser: SignedInUser,
  step: InteractionStep,
  deps: InteractionDependencies,
): Promise<ServerResponse> {
  const { digest, browserDigest, version } = step.record
  const login = loginOf(signedInUser, step.session)
  const isFirst =
    !step.isStored &&
    (await deps.storage.interactions.insert({ ...step.record, login, version: version + 1 })).outcome === 'inserted'
  if (isFirst) return redirect(interactionLocation(deps.interactionUrls.consent, step.handle))
  const recorded = await deps.storage.interactions.recordLogin({
    digest,
    browserDigest,
    version,
    login,
    now: step.now,
  })
  // RFC 6749 §4.1.2: an interaction issues one code; it was completed in another tab.
  if (recorded.outcome === 'absent') throw refuse('interaction_completed')
  // On a conflict another tab has advanced this interaction; the page shows its current state.
  return redirect(interactionLocation(deps.interactionUrls.consent, step.handle))
}

const isSignIn = (answer: InteractionAnswer): answer is InteractionAnswer & SignedIn => answer.subject !== undefined
