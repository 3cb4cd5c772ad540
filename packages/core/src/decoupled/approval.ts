import type { ServerRequest } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'
import { type DecoupledRequestRecord, secretDigest } from '@mintmark/storage-interface/stores'

import { limitCodes } from '../authorize/code.ts'
import {
  checkDecision,
  consentOf,
  decideAccess,
  deniesRequest,
  grantedScopes,
  type InteractionAnswer,
} from '../authorize/complete-interaction.ts'
import { decideInteraction } from '../authorize/decide.ts'
import {
  approveDecoupled,
  decoupledRequest,
  decoupledStore,
  denyDecoupled,
  reopenDecoupled,
} from '../authorize/decoupled-request.ts'
import type { CompleteInteractionDependencies } from '../authorize/interaction-step.ts'
import { describeClient, describeDetails, type PendingInteraction } from '../authorize/pending-interaction.ts'
import type { DecoupledRequest } from '../authorize/request.ts'
import { RedirectableError } from '../authorize/response.ts'
import { saveGrant } from '../consent/consent.ts'
import { organizationScope, organizationsOfUser } from '../permissions/organization.ts'
import { OAuthError } from '../refusals.ts'
import { joinSession } from '../sessions/join-session.ts'
import { identifyUser, isFromFuture, type SignedIn } from '../sessions/signed-in-user.ts'

/** A request of a client that waits for the decision of the user whom the client named (CIBA Core 1.0). */
export interface PendingApproval extends Pick<PendingInteraction, 'client' | 'details' | 'organizations'> {
  /**
   * Names the request in messages to the user, such as a push message: `server.approval` finds it. It is no credential,
   * because only the user whom the client named can decide.
   */
  readonly id: string
  /** The user. */
  readonly subject: string
  readonly scopes: readonly { readonly name: string; readonly description: string }[]
  /** The APIs that the tokens are for. */
  readonly resources: readonly { readonly uri: string; readonly name: string }[]
  /**
   * A text that the client shows too, so that the user recognizes the request (CIBA Core 1.0 §7.1). Show it, and encode
   * it: the client chose it.
   */
  readonly bindingMessage: string | undefined
  /** The authentication contexts that the client asks for, best first. */
  readonly acrValues: readonly string[]
  /** Where the request came from, as the option `ciba.location` says. */
  readonly askedFrom: string | undefined
  /** When the client asked, in seconds since the epoch. */
  readonly askedAt: number
  /** When the request expires, in seconds since the epoch. */
  readonly expiresAt: number
  /**
   * Records that the user approved the request, as far as they granted it, and how they signed in. The client then gets
   * tokens.
   * @returns `approved`; `denied` if the user granted nothing; `ended` if the request was decided before, has expired, or
   *   the user was deactivated; `sign_in_required` if the session has ended, or if the sign-in is too old or too weak for
   *   the client: let the user sign in again, and call it again.
   * @throws TypeError when the answer is about another user, or a member has another type. OAuthError
   *   invalid_authorization_details — reason `detail_invalid`; invalid_request — reason `details_undecided`:
   *   `grantedDetails` is missing; access_denied — reason `organization_not_member`.
   */
  approve(answer: ApprovalAnswer): Promise<'approved' | 'denied' | 'ended' | 'sign_in_required'>
  /** Records that the user denied the request. @returns `ended` as `approve`. */
  deny(): Promise<'denied' | 'ended'>
}

/** How the user signed in, and what they granted. */
type ApprovalAnswer = SignedIn &
  Pick<InteractionAnswer, 'grantedDetails' | 'organization'> & {
    /** The scope values that the user consents to; others are left out. An empty list denies the request. */
    readonly grantedScopes: readonly string[]
    /** The request in which the user decided. Its browser or app is shown in the list of the user's sessions. */
    readonly request?: ServerRequest | undefined
  }

/** Finds a request that waits for the decision of this user; `undefined` for any other. */
export async function findApproval(
  { id, subject }: { readonly id: string; readonly subject: string },
  now: EpochSeconds,
  deps: ApprovalDependencies,
): Promise<PendingApproval | undefined> {
  const record = await decoupledStore(deps.storage).find(secretDigest(id), now)
  // CIBA Core 1.0 §7.2: only the user whom the client named may see and decide the request.
  if (record?.kind !== 'ciba' || record.userId !== subject) return undefined
  if (record.status !== 'pending' || !(now < record.usableUntil)) return undefined
  const client = await deps.storage.clients.find(record.clientId)
  return client === undefined || client.disabledAt !== undefined ? undefined : describeApproval(record, client, deps)
}

export interface ApprovalDependencies extends CompleteInteractionDependencies {
  readonly clock: () => EpochSeconds
}

/** Describes a request for its user. */
export async function describeApproval(
  record: DecoupledRequestRecord,
  client: ClientRecord,
  deps: ApprovalDependencies,
): Promise<PendingApproval> {
  const { digest, userId: subject = '', bindingMessage, askedFrom, acrValues, createdAt, usableUntil } = record
  const request = decoupledRequest(record, client, deps.rules)
  const isForOrganization = record.userId !== undefined && request.scopes.includes(organizationScope)
  const organizations = isForOrganization ? await organizationsOfUser(record.userId, undefined, deps.storage) : []
  const decision = { record, client, deps }
  return {
    id: digest,
    subject,
    client: describeClient(request, deps.rules.issuer),
    scopes: request.consentScopes.map((name) => ({
      name,
      description: deps.scopes.get(name)?.description ?? name,
    })),
    resources: request.consentResources.map((uri) => ({ uri, name: deps.rules.resources.get(uri)?.name ?? uri })),
    details: await describeDetails(request, deps.detailTypes),
    organizations: organizations.map(({ organizationId, displayName }) => ({ organizationId, name: displayName })),
    bindingMessage,
    acrValues,
    askedFrom,
    askedAt: createdAt,
    expiresAt: usableUntil,
    approve: (answer) => unlessEnded(() => approve(answer, decision)),
    deny: () => unlessEnded(() => deny(decision)),
  }
}

/** A pending request, and what is needed to decide it. */
interface Deciding {
  readonly record: DecoupledRequestRecord
  readonly client: ClientRecord
  readonly deps: ApprovalDependencies
}

async function approve(answer: ApprovalAnswer, deciding: Deciding) {
  const { record, client, deps } = deciding
  checkDecision(answer)
  // A host that mixes up its users must not let one of them decide for another.
  if (answer.subject !== record.userId) throw new TypeError('approve: the request is about another user.')
  const now = deps.clock()
  const request = await reopenDecoupled(record.digest, { client, now }, deps)
  const granted = grantedScopes(answer, request) ?? []
  if (deniesRequest({ granted, answer }, request)) return deny(deciding)
  if (isFromFuture(answer, now)) return 'sign_in_required'
  const signedInUser = await identifyUser(answer, now, deps.storage)
  if (signedInUser === undefined) return 'ended'
  // A sign-in after the client asked answers the client, as one in an interaction does.
  const interaction = { startedAt: record.createdAt, sessionAuthTime: undefined }
  const decision = await decideInteraction(request, { signedInUser, interaction, isChosen: true }, { ...deps, now })
  if (decision.kind !== 'consent') return 'sign_in_required'
  if (decision.organizations.length > 1 && granted.includes(organizationScope) && answer.organization === undefined)
    throw new TypeError('approve: organization is missing, and the user has several.')
  const decided = await decideAccess({ answer, granted, decision }, request, deps)
  if (decided === undefined) return deny(deciding)

  const allowance = await limitCodes({ request, signedInUser }, now, deps)
  const session = await joinSession({ http: answer.request, clientId: client.clientId, signedInUser }, now, deps)
  if (session === undefined) return 'sign_in_required'
  const grant = await saveGrant(consentOf(decided, signedInUser, deps), now, deps)
  if (grant === undefined) return 'ended'
  const { authentication } = signedInUser
  await approveDecoupled({ ...decided, request, allowance, grant, authentication, session }, now, deps)
  recordDecision(request, { decision: 'approved', grantId: grant.grantId, scopes: decided.consented }, deps)
  return 'approved'
}

async function deny({ record, client, deps }: Deciding) {
  const now = deps.clock()
  const request = await reopenDecoupled(record.digest, { client, now }, deps)
  await denyDecoupled(request, now, deps)
  recordDecision(request, { decision: 'denied' }, deps)
  return 'denied' as const
}

function recordDecision(
  { client: { clientId }, target: { record } }: DecoupledRequest,
  decided: { readonly decision: 'approved' | 'denied'; readonly grantId?: string; readonly scopes?: readonly string[] },
  { journal }: ApprovalDependencies,
): void {
  const { userId } = record
  journal.recordWithoutRequest({ type: 'request.decided', kind: 'ciba', clientId, userId, ...decided })
}

/** Converts the refusal of a request that has ended: the host shows it, and not the client. */
async function unlessEnded<Outcome>(decide: () => Promise<Outcome>): Promise<Outcome | 'ended'> {
  try {
    return await decide()
  } catch (error) {
    const refusal = error instanceof RedirectableError ? error.refusal : error
    if (refusal instanceof OAuthError && refusal.reason === 'request_ended') return 'ended'
    throw refusal
  }
}
