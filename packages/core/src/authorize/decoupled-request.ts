import { type Random, randomDatedIdentifier } from '@mintmark/internal'
import { type ClientRecord, type EpochSeconds, familyId, type OAuthStorage } from '@mintmark/storage-interface'
import {
  type Decision,
  type DecoupledRequestRecord,
  type DecoupledRequestStore,
  secretDigest,
  type SecretDigest,
} from '@mintmark/storage-interface/stores'

import type { Parameters } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import { grantedAccess, isBoundToSession, type GrantedAccess, type SessionBoundTokens } from './code.ts'
import { type AuthorizationRequestRules, type DecoupledRequest, sufficientAcrOf } from './request.ts'

/** The parameters that an interaction keeps of a request that was made on another device: only a reference to it. */
const keepDecoupled = ({ clientId, digest }: DecoupledRequestRecord): Readonly<Record<string, string>> => ({
  client_id: clientId,
  [keptName]: digest,
})

/**
 * Returns the digest of the request that an interaction is about.
 * @param kept the parameters that the server sealed into the interaction; nobody else can set this one.
 */
export function recallDecoupled(kept: Parameters): SecretDigest | undefined {
  const digest = kept.get(keptName)
  return digest === undefined ? undefined : secretDigest(digest)
}

/** Not a parameter of a standard: requests that contain it are parsed without it. */
const keptName = 'decoupled_request'

/**
 * Reopens the request of an interaction. Everything in it was checked when the client made it.
 * @throws OAuthError invalid_request — reason `request_ended`: it was decided, or has expired.
 */
export async function reopenDecoupled(
  digest: SecretDigest,
  visit: { readonly client: ClientRecord; readonly now: EpochSeconds },
  deps: { readonly storage: OAuthStorage; readonly rules: AuthorizationRequestRules },
): Promise<DecoupledRequest> {
  const { client, now } = visit
  const record = await decoupledStore(deps.storage).find(digest, now)
  const isOpen = record?.status === 'pending' && record.clientId === client.clientId && now < record.usableUntil
  // RFC 8628 §3.3: there is nothing left to decide.
  if (!isOpen) throw refuse('request_ended', { clientId: client.clientId })
  return decoupledRequest(record, client, deps.rules)
}

/** Returns the request in the form in which users decide about requests. */
export function decoupledRequest(
  record: DecoupledRequestRecord,
  client: ClientRecord,
  rules: AuthorizationRequestRules,
): DecoupledRequest {
  const { scopes, resources, authorizationDetails, acrValues } = record
  return {
    client,
    target: { kind: 'decoupled', record },
    scopes,
    omittedScopes: [],
    consentScopes: scopes,
    resources,
    consentResources: resources.filter((uri) => uri !== rules.issuer),
    details: authorizationDetails,
    prompt: new Set(),
    maxAge: client.defaultMaxAge,
    claimsRequest: undefined,
    acrValues,
    essentialAcr: undefined,
    sufficientAcr: sufficientAcrOf(acrValues, rules.acrRanks),
    // CIBA Core 1.0 §7.2: only the user whom the client named.
    subjects: record.userId && [record.userId],
    organization: undefined,
    loginHint: undefined,
    uiLocales: [],
    parameters: keepDecoupled(record),
  }
}

/**
 * Records that the user approved the request. The next poll of the client gets tokens.
 * @throws OAuthError invalid_request — reason `request_ended`.
 */
export async function approveDecoupled(
  access: GrantedAccess & { readonly request: DecoupledRequest },
  now: EpochSeconds,
  deps: DecideDependencies & { readonly random: Random; readonly sessionBoundTokens: SessionBoundTokens },
): Promise<DecoupledRequestRecord> {
  const { request, grant, session } = access
  const { record } = request.target
  const isOfUser = record.userId === undefined || record.userId === grant.userId
  const isOfGeneration = record.userGeneration === undefined || record.userGeneration === grant.userGeneration
  // CIBA Core 1.0 §7.2: whatever page the host shows, nobody else approves. A user who was deactivated was revoked
  // everything that was asked before.
  if (!isOfUser || !isOfGeneration)
    throw refuse('request_ended', { clientId: request.client.clientId, userId: grant.userId })
  const approval = {
    grantId: grant.grantId,
    familyId: familyId(randomDatedIdentifier(deps.random, now)),
    userId: grant.userId,
    ...grantedAccess(access),
    authentication: access.authentication,
    boundSessionId: isBoundToSession(access, deps.sessionBoundTokens) ? session.sessionId : undefined,
  }
  return decide(request, { decision: { status: 'approved', approval }, now }, deps)
}

/** Records that the user denied the request. @throws like `approveDecoupled`. */
export const denyDecoupled = (
  request: DecoupledRequest,
  now: EpochSeconds,
  deps: DecideDependencies,
): Promise<DecoupledRequestRecord> => decide(request, { decision: { status: 'denied' }, now }, deps)

export interface DecideDependencies {
  readonly storage: OAuthStorage
  /** `undefined` when the storage keeps no deliveries, so that no client could ask for notifications. */
  readonly pings: PingOutbox | undefined
}

/** Notifies clients that a user has decided (CIBA Core 1.0 §10.2). */
export interface PingOutbox {
  /** Stores the notification, once for each request. It is sent only after the decision. */
  enqueue(request: DecoupledRequestRecord, now: EpochSeconds): Promise<void>
  /** Sends what is stored. */
  readonly nudge: () => void
}

async function decide(
  { client, target: { record } }: DecoupledRequest,
  { decision, now }: { readonly decision: Decision; readonly now: EpochSeconds },
  { storage, pings }: DecideDependencies,
): Promise<DecoupledRequestRecord> {
  const isNotified = record.notification !== undefined
  // Before the decision, so that a crash between the two loses no notification.
  if (isNotified) await pings?.enqueue(record, now)
  const decided = await decoupledStore(storage).decide({ digest: record.digest, decision, now })
  // RFC 8628 §3.3: another browser was faster, or the request has expired.
  if (decided.outcome !== 'decided') throw refuse('request_ended', { clientId: client.clientId })
  if (isNotified) pings?.nudge()
  return decided.record
}

/** Returns the store that `createAuthorizationServer` has required for these requests. */
export function decoupledStore({ decoupledRequests }: OAuthStorage): DecoupledRequestStore {
  if (decoupledRequests === undefined) throw new TypeError('The storage has no `decoupledRequests`.')
  return decoupledRequests
}
