import { digestSecret } from '@mintmark/internal'
import type { Brand, EpochSeconds } from '@mintmark/storage-interface'
import type { DecoupledRequestRecord, StatusStore } from '@mintmark/storage-interface/stores'

import { decoupledStore } from '../../authorize/decoupled-request.ts'
import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { cibaGrantType, deviceCodeGrantType } from '../../clients/grant-types.ts'
import type { Parameters as FormParameters } from '../../parameters.ts'
import { isPossession, isSameKey, isUserActive } from '../../permissions/status.ts'
import { refuse, type OAuthError, type Refusal } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { type ClaimsDependencies, computeTokenClaims, type TokenClaims } from '../../tokens/claims.ts'
import { defineGrant, type GrantType } from '../../tokens/grant.ts'
import {
  parseNarrowing,
  permittedBy,
  type Permitted,
  type PermittedDependencies,
  revokeFamilyOf,
  type StoredGrant,
  tokensFor,
  type TokensDependencies,
} from '../issue.ts'

type DecoupledGrantDependencies = TokensDependencies &
  PermittedDependencies &
  ClaimsDependencies & {
    /** Reads storage without the host's user table: a replay is noticed even while that table cannot be read. */
    readonly storedStatus: StatusStore
  }

/** Creates the device authorization grant (RFC 8628 §3.4). */
export const deviceCodeGrant = (deps: DecoupledGrantDependencies): GrantType => decoupledGrant(device, deps)

/** Creates the grant of clients that named the user, in the modes poll and ping (CIBA Core 1.0 §10.1). */
export const cibaGrant = (deps: DecoupledGrantDependencies): GrantType => decoupledGrant(ciba, deps)

const device = {
  kind: 'device',
  grantType: deviceCodeGrantType,
  parameter: 'device_code',
  missing: 'device_code_missing',
  incomplete: 'device_code_incomplete',
  replayed: 'device_code_replayed',
  keyMismatch: 'device_code_key_mismatch',
  polls: {
    pending: 'authorization_pending',
    slow_down: 'polled_too_early',
    denied: 'user_denied_device',
    expired: 'device_code_expired',
    absent: 'device_code_unknown',
  },
  inactivity: {
    inactive: 'grant_inactive_device',
    clientChanged: 'client_document_changed_device',
    sessionEnded: 'session_ended_device',
  },
} as const

const ciba = {
  kind: 'ciba',
  grantType: cibaGrantType,
  parameter: 'auth_req_id',
  missing: 'auth_req_id_missing',
  incomplete: 'auth_req_id_incomplete',
  replayed: 'auth_req_id_replayed',
  keyMismatch: 'auth_req_id_key_mismatch',
  polls: {
    pending: 'authorization_pending',
    slow_down: 'polled_too_early',
    denied: 'user_denied_ciba',
    expired: 'auth_req_id_expired',
    absent: 'auth_req_id_unknown',
  },
  inactivity: {
    inactive: 'grant_inactive_ciba',
    clientChanged: 'client_document_changed_ciba',
    sessionEnded: 'session_ended_ciba',
  },
} as const

/** What differs between the two grant types: the names on the wire, and the refusals. */
type DecoupledKind = typeof device | typeof ciba

/**
 * Creates a grant type for requests that a user approves on another device. What can fail without harm is checked before
 * the code is consumed: the key, the requested resources and details, and the claims of the host.
 */
const decoupledGrant = (kind: DecoupledKind, deps: DecoupledGrantDependencies): GrantType =>
  defineGrant({
    grantType: kind.grantType,
    refuseUnknown: async (form, client, now) => void (await findRequest(form, client, { kind, now, deps })),
    async decide(form, { client, possession }, now) {
      const step = { kind, now, deps }
      const found = await findRequest(form, client, step)
      provePossessionOf(found, possession, { client, kind })
      const permission = { client, narrowing: parseNarrowing(form), refusals: kind.inactivity }
      const claims = await checkBeforeConsumption(found, permission, step)

      const won = await redeem(found, client, step)
      // Read again: the user may have been deactivated before the code was consumed.
      const permitted = await permittedBy(grantOf(won, kind), permission, deps)
      const decision = await tokensFor({ permitted, evidence: won, possession, nonce: undefined }, now, deps)
      return claims === undefined ? decision : { ...decision, claims }
    },
  })

interface GrantStep {
  readonly kind: DecoupledKind
  readonly now: EpochSeconds
  readonly deps: DecoupledGrantDependencies
}

/** @throws OAuthError invalid_request — no code; invalid_grant — an unknown code. */
async function findRequest(
  form: FormParameters,
  client: AuthenticatedClient,
  { kind, now, deps }: GrantStep,
): Promise<DecoupledRequestRecord> {
  const code = form.get(kind.parameter)
  // RFC 8628 §3.4, CIBA Core 1.0 §10.1: the code is required.
  if (code === undefined) throw refuse(kind.missing)
  const found = await decoupledStore(deps.storage).find(await digestSecret(code), now)
  // RFC 8628 §3.5, RFC 6749 §5.2: never issued, or issued to another client, which changes nothing.
  if (found?.kind !== kind.kind || found.clientId !== client.clientId)
    throw refusalOf(kind.polls.absent, client, undefined)
  return found
}

/** Checks the key before the poll, so that a thief without the key changes nothing. */
function provePossessionOf(
  request: DecoupledRequestRecord,
  proven: ProvenPossession,
  { client, kind }: { readonly client: AuthenticatedClient; readonly kind: DecoupledKind },
): void {
  // RFC 9449 §5: a binding that was lost in storage must not make the code usable without its key.
  if (!isPossession(request.possession)) throw refusalOf(kind.incomplete, client, request)
  if (request.possession.kind === 'none' || isSameKey(request.possession, proven)) return
  // RFC 9449 §5: the client must prove the key of its first request.
  throw refusalOf(proven.kind === 'none' ? 'dpop_proof_missing' : kind.keyMismatch, client, request)
}

/**
 * Makes the checks whose failure must not consume the code.
 * @returns the claims of an approved request.
 */
async function checkBeforeConsumption(
  request: DecoupledRequestRecord,
  permission: Parameters<typeof permittedBy>[1],
  step: GrantStep,
): Promise<TokenClaims | undefined> {
  const { kind, deps } = step
  if (request.status === 'pending') {
    await requireActiveUser(request, permission.client, step)
    return undefined
  }
  if (request.status === 'denied') return undefined
  const granted = grantOf(request, kind)
  try {
    return await claimsOf(await permittedBy(granted, permission, deps), deps)
  } catch (error) {
    // RFC 6749 §4.1.2: if the code was redeemed before, this is a replay, whatever else fails. `redeem` refuses it.
    if ((await deps.storedStatus.ofFamily(granted.familyId)) !== undefined) return undefined
    throw error
  }
}

/**
 * Refuses a request about a user who was deactivated since: nobody can approve it any more.
 * @throws OAuthError access_denied — reason `grant_inactive`.
 */
async function requireActiveUser(
  { userId, userGeneration, usableUntil }: DecoupledRequestRecord,
  client: AuthenticatedClient,
  { kind, now, deps }: GrantStep,
): Promise<void> {
  if (userId === undefined || userGeneration === undefined || !(now < usableUntil)) return
  const user = await deps.storage.users.find(userId)
  // CIBA Core 1.0 §11.
  if (user === undefined || !isUserActive(user, userGeneration))
    throw refuse(kind.inactivity.inactive, { clientId: client.clientId, userId })
}

/** A request that a user approved, and whose code this request consumed. Only `redeem` creates it. */
type RedeemedRequest = Brand<DecoupledRequestRecord, 'RedeemedRequest' | 'GrantEvidence'>

/** Polls once. A second redemption revokes everything that was issued for the first (RFC 6749 §4.1.2). */
async function redeem(
  { digest }: DecoupledRequestRecord,
  client: AuthenticatedClient,
  { kind, now, deps }: GrantStep,
): Promise<RedeemedRequest> {
  const polled = await decoupledStore(deps.storage).poll({ digest, clientId: client.clientId, now })
  switch (polled.outcome) {
    case 'won':
      return polled.record as RedeemedRequest
    case 'replayed':
      await revokeFamilyOf(grantOf(polled.record, kind), now, deps)
      throw refusalOf(kind.replayed, client, polled.record)
    default:
      throw refusalOf(kind.polls[polled.outcome], client, undefined)
  }
}

/** @throws OAuthError invalid_grant — the store lost what the user approved. */
function grantOf({ approval, clientId }: DecoupledRequestRecord, { incomplete }: DecoupledKind): StoredGrant {
  // RFC 6749 §5.2: without the approval, there is nothing to issue tokens for.
  if (approval === undefined) throw refuse(incomplete, { clientId })
  return { ...approval, clientId, claimsRequest: undefined }
}

const claimsOf = ({ target, client, user, organization }: Permitted, deps: DecoupledGrantDependencies) =>
  computeTokenClaims({ ...target, client, user, claimsRequest: undefined, organization }, deps)

function refusalOf(
  row: Refusal,
  { clientId }: AuthenticatedClient,
  request: DecoupledRequestRecord | undefined,
): OAuthError {
  const { userId, familyId } = request?.approval ?? {}
  return refuse(row, { clientId, userId, familyId })
}
