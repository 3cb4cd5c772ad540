import { type Random, randomIdentifier } from '@mintmark/internal'
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
 * @throws OAuthError invalid_request — reason `device_request_ended`: it was decided, or has expired.
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
  if (!isOpen) throw refuse('device_request_ended', { clientId: client.clientId })
  const { scopes, resources, authorizationDetails, acrValues } = record
  return {
    client,
    target: { kind: 'decoupled', digest },
    scopes,
    omittedScopes: [],
    consentScopes: scopes,
    resources,
    consentResources: resources.filter((uri) => uri !== deps.rules.issuer),
    details: authorizationDetails,
    prompt: new Set(),
    maxAge: client.defaultMaxAge,
    claimsRequest: undefined,
    acrValues,
    essentialAcr: undefined,
    sufficientAcr: sufficientAcrOf(acrValues, deps.rules.acrRanks),
    subjects: undefined,
    organization: undefined,
    loginHint: undefined,
    uiLocales: [],
    parameters: keepDecoupled(record),
  }
}

/**
 * Records that the user approved the request. The next poll of the client gets tokens.
 * @throws OAuthError invalid_request — reason `device_request_ended`.
 */
export function approveDecoupled(
  access: GrantedAccess & { readonly request: DecoupledRequest },
  now: EpochSeconds,
  deps: DecideDependencies & { readonly random: Random; readonly sessionBoundTokens: SessionBoundTokens },
): Promise<DecoupledRequestRecord> {
  const { request, grant, session } = access
  const approval = {
    grantId: grant.grantId,
    familyId: familyId(randomIdentifier(deps.random)),
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

interface DecideDependencies {
  readonly storage: OAuthStorage
}

async function decide(
  { client, target }: DecoupledRequest,
  { decision, now }: { readonly decision: Decision; readonly now: EpochSeconds },
  { storage }: DecideDependencies,
): Promise<DecoupledRequestRecord> {
  const decided = await decoupledStore(storage).decide({ digest: target.digest, decision, now })
  // RFC 8628 §3.3: another browser was faster, or the request has expired.
  if (decided.outcome !== 'decided') throw refuse('device_request_ended', { clientId: client.clientId })
  return decided.record
}

/** Returns the store that `createAuthorizationServer` has required for these requests. */
export function decoupledStore({ decoupledRequests }: OAuthStorage): DecoupledRequestStore {
  if (decoupledRequests === undefined) throw new TypeError('The storage has no `decoupledRequests`.')
  return decoupledRequests
}
