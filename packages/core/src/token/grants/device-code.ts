import { digestSecret } from '@mintmark/internal'
import type { Brand, EpochSeconds } from '@mintmark/storage-interface'
import type { DecoupledRequestRecord } from '@mintmark/storage-interface/stores'

import { decoupledStore } from '../../authorize/decoupled-request.ts'
import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { deviceCodeGrantType } from '../../clients/metadata.ts'
import type { Parameters } from '../../parameters.ts'
import { isPossession, isSameKey } from '../../permissions/status.ts'
import { refuse, type OAuthError, type Refusal } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { type ClaimsDependencies, computeTokenClaims } from '../../tokens/claims.ts'
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

type DeviceCodeGrantDependencies = TokensDependencies & PermittedDependencies & ClaimsDependencies

/**
 * Creates the device authorization grant (RFC 8628 §3.4). What can fail without harm is checked before the code is
 * consumed: the key, the requested resources and details, and the claims of the host.
 */
export const deviceCodeGrant = (deps: DeviceCodeGrantDependencies): GrantType =>
  defineGrant({
    grantType: deviceCodeGrantType,
    refuseUnknown: async (form, client, now) => void (await findRequest(form, client, { now, deps })),
    async decide(form, { client, possession }, now) {
      const found = await findRequest(form, client, { now, deps })
      provePossessionOf(found, possession, client)
      const permission = { client, narrowing: parseNarrowing(form), refusals }
      const early = found.status === 'approved' ? await permittedBy(grantOf(found), permission, deps) : undefined
      const claims = early && (await claimsOf(early, deps))

      const won = await redeem(found, client, { now, deps })
      // Read again: the user may have been deactivated before the code was consumed.
      const permitted = await permittedBy(grantOf(won), permission, deps)
      const decision = await tokensFor({ permitted, evidence: won, possession, nonce: undefined }, now, deps)
      return claims === undefined ? decision : { ...decision, claims }
    },
  })

const refusals = {
  inactive: 'grant_inactive:device',
  clientChanged: 'client_document_changed:device',
  sessionEnded: 'session_ended:device',
} as const

interface GrantStep {
  readonly now: EpochSeconds
  readonly deps: DeviceCodeGrantDependencies
}

/** @throws OAuthError invalid_request — reason `device_code_missing`; invalid_grant — reason `device_code_unknown`. */
async function findRequest(
  form: Parameters,
  client: AuthenticatedClient,
  { now, deps }: GrantStep,
): Promise<DecoupledRequestRecord> {
  const deviceCode = form.get('device_code')
  // RFC 8628 §3.4: device_code is required.
  if (deviceCode === undefined) throw refuse('device_code_missing')
  const found = await decoupledStore(deps.storage).find(await digestSecret(deviceCode), now)
  // RFC 8628 §3.5, RFC 6749 §5.2: never issued, or issued to another client, which changes nothing.
  if (found?.kind !== 'device' || found.clientId !== client.clientId)
    throw deviceRefusal('device_code_unknown', client, undefined)
  return found
}

/** Checks the key before the poll, so that a thief without the key changes nothing. */
function provePossessionOf(
  request: DecoupledRequestRecord,
  proven: ProvenPossession,
  client: AuthenticatedClient,
): void {
  // RFC 9449 §5: a binding that was lost in storage must not make the code usable without its key.
  if (!isPossession(request.possession)) throw deviceRefusal('device_code_incomplete', client, request)
  if (request.possession.kind === 'none' || isSameKey(request.possession, proven)) return
  // RFC 9449 §5: the client must prove the key of the device authorization request.
  throw deviceRefusal(proven.kind === 'none' ? 'dpop_proof_missing' : 'device_code_key_mismatch', client, request)
}

/** A request that a user approved, and whose code this request consumed. Only `redeem` creates it. */
type RedeemedDeviceCode = Brand<DecoupledRequestRecord, 'RedeemedDeviceCode' | 'GrantEvidence'>

/** Polls once. A second redemption revokes everything that was issued for the first (RFC 6749 §4.1.2). */
async function redeem(
  { digest }: DecoupledRequestRecord,
  client: AuthenticatedClient,
  { now, deps }: GrantStep,
): Promise<RedeemedDeviceCode> {
  const polled = await decoupledStore(deps.storage).poll({ digest, clientId: client.clientId, now })
  switch (polled.outcome) {
    case 'won':
      return polled.record as RedeemedDeviceCode
    case 'replayed':
      await revokeFamilyOf(grantOf(polled.record), now, deps)
      throw deviceRefusal('device_code_replayed', client, polled.record)
    default:
      throw deviceRefusal(pollRefusals[polled.outcome], client, undefined)
  }
}

const pollRefusals = {
  pending: 'authorization_pending',
  slow_down: 'polled_too_early',
  denied: 'user_denied:device',
  expired: 'device_code_expired',
  absent: 'device_code_unknown',
} as const

/** @throws OAuthError invalid_grant — reason `device_code_incomplete`: the store lost what the user approved. */
function grantOf({ approval, clientId }: DecoupledRequestRecord): StoredGrant {
  // RFC 6749 §5.2: without the approval, there is nothing to issue tokens for.
  if (approval === undefined) throw refuse('device_code_incomplete', { clientId })
  return { ...approval, clientId, claimsRequest: undefined }
}

const claimsOf = ({ target, client, user, organization }: Permitted, deps: DeviceCodeGrantDependencies) =>
  computeTokenClaims({ ...target, client, user, claimsRequest: undefined, organization }, deps)

function deviceRefusal(
  row: Refusal,
  { clientId }: AuthenticatedClient,
  request: DecoupledRequestRecord | undefined,
): OAuthError {
  const { userId, familyId } = request?.approval ?? {}
  return refuse(row, { clientId, userId, familyId })
}
