import {
  type Clock,
  digestSecret,
  type Endpoint,
  json,
  noStore,
  type Random,
  randomSecret,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import { type DurationSeconds, type EpochSeconds, userId, type UserRecord } from '@mintmark/storage-interface'
import type { DecoupledRequestRecord } from '@mintmark/storage-interface/stores'

import { decoupledStore } from '../authorize/decoupled-request.ts'
import { namingClient } from '../authorize/error-redirect.ts'
import { refuseTooLong, userOfIdTokenHint } from '../authorize/parameters.ts'
import type { RequestObjectDependencies } from '../authorize/request-object.ts'
import { requestedAccess } from '../authorize/request.ts'
import {
  authenticateClient,
  type AuthenticatedClient,
  type ClientAuthenticationDependencies,
} from '../clients/authenticate.ts'
import { cibaGrantType } from '../clients/grant-types.ts'
import { requireProfile } from '../clients/security-profile.ts'
import { type Parameters, readForm, refuseRepeated } from '../parameters.ts'
import { requireResource } from '../permissions/resources.ts'
import { omittedScopes } from '../permissions/scopes.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'
import { type ApprovalDependencies, describeApproval, type PendingApproval } from './approval.ts'
import {
  cibaLengths,
  cibaParameters,
  parseBindingMessage,
  parseHint,
  parseLifetime,
  type ParsedHint,
} from './ciba-parameters.ts'
import { type NotificationSeal, parseNotificationToken } from './notification.ts'
import { bindToKey, pendingRequest, placeOf, pollInterval } from './pending-request.ts'
import { signedOrPlain } from './signed-request.ts'

/** How the client names the user (CIBA Core 1.0 §7.1). */
export interface UserHint {
  readonly kind: 'login_hint' | 'login_hint_token'
  /** The value of the parameter, of at most 1024 bytes, or 8192 for a token. It comes from the client. */
  readonly value: string
  readonly clientId: string
}

/** `expired`: the `login_hint_token` has expired. */
export type HintedUser = { readonly subject: string } | 'unknown' | 'expired'

/** The functions of the host (option `ciba`). */
export interface CibaSettings {
  findUser(hint: UserHint): Promise<HintedUser>
  askUser(pending: PendingApproval): Promise<void>
  verifyUserCode?(subject: string, code: string | undefined): Promise<boolean>
  readonly location?: ((request: ServerRequest) => string | undefined) | undefined
}

export type CibaEndpointDependencies = ApprovalDependencies &
  ClientAuthenticationDependencies &
  RequestObjectDependencies & {
    readonly clock: Clock
    readonly random: Random
    readonly dpop: DpopVerifier
    readonly notificationSeal: NotificationSeal
    readonly backchannelRequestLifetime: DurationSeconds
    readonly backchannelLimits: {
      readonly ofClient: RateLimiter
      readonly ofUser: RateLimiter
    }
  }

export const cibaPath = '/bc-authorize'

/**
 * `POST /bc-authorize` (CIBA Core 1.0 §7): stores the request of a client that names a user, and has the host ask the
 * user. The client gets the identifier with which it polls. Only its digest is stored.
 */
export const cibaEndpoint = (settings: CibaSettings, deps: CibaEndpointDependencies): Endpoint => {
  const target = { url: `${deps.issuer}${cibaPath}` }
  return async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    // RFC 9449 §8: verified before the client is authenticated, so that it can repeat the request with a nonce and the
    // same assertion.
    const proof = request.headers.has('dpop') ? await deps.dpop.verify(request, target, now) : undefined
    const client = await authenticateClient({ request, form }, now, deps)
    return namingClient(client, async () => {
      await requireUsableClient(client, now, deps)
      const parameters = await signedOrPlain(form, { client, now, known: cibaParameters }, deps)
      return ask({ request, parameters, proof, client, settings }, now, deps)
    })
  }
}

async function requireUsableClient(
  client: AuthenticatedClient,
  now: EpochSeconds,
  { backchannelLimits, pings }: CibaEndpointDependencies,
): Promise<void> {
  const { clientId, grantTypes, tokenEndpointAuthMethod, backchannelTokenDeliveryMode } = client
  // RFC 6749 §5.2: unauthorized_client.
  if (!grantTypes.includes(cibaGrantType)) throw refuse('grant_type_not_registered')
  // CIBA Core 1.0 §7.1: the client must authenticate, because its request disturbs a user.
  if (tokenEndpointAuthMethod === 'none') throw refuse('client_public_ciba', { clientId })
  // CIBA Core 1.0 §4: the client would wait for a notification that nobody sends.
  if (backchannelTokenDeliveryMode === 'ping' && pings === undefined) throw refuse('ping_unavailable')
  await limit(backchannelLimits.ofClient, `client ${clientId}`, now)
}

/** CIBA Core 1.0 §15: limits what a client can make the server, and its users, do. */
async function limit(limiter: RateLimiter, key: string, now: EpochSeconds): Promise<void> {
  const decision = await limiter.consume(key, now)
  if (!decision.allowed) throw refuse('backchannel_requests_throttled', {}, { retryAfter: decision.retryAfter })
}

interface CibaRequest {
  readonly request: ServerRequest
  readonly parameters: Parameters
  readonly proof: VerifiedProof | undefined
  readonly client: AuthenticatedClient
  readonly settings: CibaSettings
}

async function ask(asked: CibaRequest, now: EpochSeconds, deps: CibaEndpointDependencies): Promise<ServerResponse> {
  const { request, parameters, proof, client, settings } = asked
  refuseTooLong(parameters, cibaLengths)
  const profile = requireProfile(client, deps.rules)
  requireResource(parameters, profile)
  const access = await requestedAccess(parameters, client, deps.rules)
  // CIBA Core 1.0 §7.1: the scope contains openid.
  if (!access.scopes.includes('openid')) throw refuse('openid_missing')
  const bindingMessage = parseBindingMessage(parameters, { details: access.details, profile })
  const lifetime = parseLifetime(parameters, deps.backchannelRequestLifetime)
  const isPinged = client.backchannelTokenDeliveryMode === 'ping'
  const token = isPinged ? parseNotificationToken(parameters) : undefined
  const user = await findUser(parseHint(parameters), asked, deps)
  await limit(deps.backchannelLimits.ofUser, JSON.stringify([client.clientId, user.userId]), now)
  await verifyUserCode(user, asked)
  const bound = await bindToKey(proof, client, { now, dpop: deps.dpop })

  const authReqId = randomSecret(deps.random)
  const digest = await digestSecret(authReqId)
  const record: DecoupledRequestRecord = {
    ...pendingRequest({ client, form: parameters, lifetime }, access, now),
    digest,
    kind: 'ciba',
    userId: user.userId,
    userGeneration: user.generation,
    bindingMessage,
    askedFrom: placeOf(request, settings),
    possession: bound.possession,
    notification: token && (await deps.notificationSeal.seal({ authReqId, token }, digest)),
  }
  await decoupledStore(deps.storage).insert(record)
  const { clientId } = client
  const left = omittedScopes(parameters.get('scope'), access.scopes)
  const about = { clientId, userId: user.userId, scopes: access.scopes, omittedScopes: left }
  deps.journal.record(request, { type: 'request.asked', kind: 'ciba', ...about })
  await askUser(record, asked, deps)
  return json(200, { auth_req_id: authReqId, expires_in: lifetime, interval: pollInterval }, [
    ...noStore,
    ...bound.headers,
  ])
}

/**
 * Finds the active user whom the client names.
 * @throws OAuthError unknown_user_id — reason `hinted_user_unknown` | `hinted_user_inactive`; expired_login_hint_token —
 *   reason `login_hint_token_expired`; invalid_request — reason `id_token_hint_invalid`.
 */
async function findUser(
  { kind, value }: ParsedHint,
  { client, settings }: CibaRequest,
  deps: CibaEndpointDependencies,
): Promise<UserRecord> {
  const { clientId } = client
  const found =
    kind === 'id_token_hint'
      ? await userOfIdTokenHint(value, { client, issuedTo: 'itself' }, deps.rules)
      : await settings.findUser({ kind, value, clientId })
  if (found === 'expired' && kind === 'login_hint_token') throw refuse('login_hint_token_expired')
  const subject = typeof found === 'object' ? found.subject : kind === 'id_token_hint' ? found : undefined
  const user = subject === undefined ? undefined : await deps.storage.users.find(userId(subject))
  // CIBA Core 1.0 §13: unknown_user_id.
  if (user === undefined) throw refuse('hinted_user_unknown')
  // CIBA Core 1.0 §13: the same, because the client must not learn who was deactivated.
  if (!user.active) throw refuse('hinted_user_inactive', { userId: user.userId })
  return user
}

/** @throws OAuthError missing_user_code | invalid_user_code. */
async function verifyUserCode({ userId: user }: UserRecord, asked: CibaRequest): Promise<void> {
  const { client, parameters, settings } = asked
  const code = parameters.get('user_code')
  if (settings.verifyUserCode === undefined || (code === undefined && !client.backchannelUserCodeParameter)) return
  if (await settings.verifyUserCode(user, code)) return
  // CIBA Core 1.0 §13.
  throw refuse(code === undefined ? 'backchannel_user_code_missing' : 'backchannel_user_code_wrong', { userId: user })
}

/**
 * Has the host ask the user. The client waits for it: if it fails, the client learns that nobody was asked, and the
 * request ends.
 */
async function askUser(
  record: DecoupledRequestRecord,
  { client, settings }: CibaRequest,
  deps: CibaEndpointDependencies,
): Promise<void> {
  try {
    await settings.askUser(await describeApproval(record, client, deps))
  } catch (cause) {
    const { digest } = record
    await decoupledStore(deps.storage).decide({ digest, decision: { status: 'denied' }, now: deps.clock() })
    // RFC 6749 §4.1.2.1: the client does not get the identifier, so nobody can redeem the request.
    throw refuse('ask_failed', { clientId: client.clientId, userId: record.userId }, { cause })
  }
}
