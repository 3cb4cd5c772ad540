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
import type { DurationSeconds, EpochSeconds, OAuthStorage } from '@mintmark/storage-interface'
import type { DecoupledRequestRecord } from '@mintmark/storage-interface/stores'

import { decoupledStore } from '../authorize/decoupled-request.ts'
import { namingClient } from '../authorize/error-redirect.ts'
import { refuseTooLong } from '../authorize/parameters.ts'
import { type AuthorizationRequestRules, requestedAccess } from '../authorize/request.ts'
import {
  authenticateClient,
  type AuthenticatedClient,
  type ClientAuthenticationDependencies,
} from '../clients/authenticate.ts'
import { deviceCodeGrantType } from '../clients/grant-types.ts'
import { requireProfile } from '../clients/security-profile.ts'
import type { Journal } from '../events.ts'
import type { KeyRing } from '../keys/ring.ts'
import { type Parameters, readForm, refuseRepeated } from '../parameters.ts'
import { requireResource } from '../permissions/resources.ts'
import { omittedScopes } from '../permissions/scopes.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'
import { bindToKey, pendingRequest, placeOf, pollInterval } from './pending-request.ts'
import { digestUserCode, drawUserCode, showUserCode } from './user-code.ts'

export interface DeviceEndpointDependencies extends ClientAuthenticationDependencies {
  readonly storage: OAuthStorage
  readonly issuer: string
  readonly keys: KeyRing
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  readonly dpop: DpopVerifier
  readonly rules: AuthorizationRequestRules
  readonly deviceCodeLifetime: DurationSeconds
  readonly deviceRequests: { readonly ofClient: RateLimiter; readonly inTotal: RateLimiter }
}

/** What the option `device` says about the requests of devices. */
export interface DeviceRequestSettings {
  readonly location?: ((request: ServerRequest) => string | undefined) | undefined
}

/**
 * `POST /device/authorization` (RFC 8628 §3.1): stores the request of a device, and returns the code that the device
 * shows and the code with which it polls. Only digests of both are stored.
 */
export const deviceEndpoint = (settings: DeviceRequestSettings, deps: DeviceEndpointDependencies): Endpoint => {
  const target = { url: `${deps.issuer}${deviceAuthorizationPath}` }
  return async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    // RFC 9449 §8: verified before the client is authenticated, so that it can repeat the request with a nonce and the
    // same assertion.
    const proof = request.headers.has('dpop') ? await deps.dpop.verify(request, target, now) : undefined
    const client = await authenticateClient({ request, form }, now, deps)
    return namingClient(client, async () => {
      await limitRequests(client, now, deps)
      const askedFrom = placeOf(request, settings)
      return ask({ request, form, proof, client, askedFrom }, now, deps)
    })
  }
}

export const deviceAuthorizationPath = '/device/authorization'
export const devicePath = '/device'

interface DeviceRequest {
  readonly request: ServerRequest
  readonly form: Parameters
  readonly proof: VerifiedProof | undefined
  readonly client: AuthenticatedClient
  readonly askedFrom: string | undefined
}

async function ask(
  { request, form, proof, client, askedFrom }: DeviceRequest,
  now: EpochSeconds,
  deps: DeviceEndpointDependencies,
): Promise<ServerResponse> {
  // RFC 6749 §5.2: unauthorized_client.
  if (!client.grantTypes.includes(deviceCodeGrantType)) throw refuse('grant_type_not_registered')
  // RFC 8628 §3.1: if a request object were ignored, so would be the request in it.
  if (form.get('request') !== undefined || form.get('request_uri') !== undefined)
    throw refuse('device_parameter_unsupported')
  refuseTooLong(form)
  requireResource(form, requireProfile(client, deps.rules))
  const access = await requestedAccess(form, client, deps.rules)
  const bound = await bindToKey(proof, client, { now, dpop: deps.dpop })
  const deviceCode = randomSecret(deps.random)
  const userCode = await insertWithUserCode(
    {
      ...pendingRequest({ client, form, lifetime: deps.deviceCodeLifetime }, access, now),
      digest: await digestSecret(deviceCode),
      kind: 'device',
      askedFrom,
      possession: bound.possession,
    },
    deps,
  )
  deps.journal.record(request, {
    type: 'request.asked',
    kind: 'device',
    clientId: client.clientId,
    scopes: access.scopes,
    omittedScopes: omittedScopes(form.get('scope'), access.scopes),
  })
  const page = `${deps.issuer}${devicePath}`
  const answer = {
    device_code: deviceCode,
    user_code: showUserCode(userCode),
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${showUserCode(userCode)}`,
    expires_in: deps.deviceCodeLifetime,
    interval: pollInterval,
  }
  return json(200, answer, [...noStore, ...bound.headers])
}

/** RFC 8628 §5.6, RFC 6819 §4.4.1.11: limits the rows that strangers create in the name of public clients. */
async function limitRequests(
  { clientId }: AuthenticatedClient,
  now: EpochSeconds,
  { deviceRequests: { ofClient, inTotal } }: DeviceEndpointDependencies,
): Promise<void> {
  for (const [limiter, key] of [
    [ofClient, `client ${clientId}`],
    [inTotal, 'total'],
  ] as const) {
    const decision = await limiter.consume(key, now)
    if (!decision.allowed) throw refuse('device_requests_throttled', { clientId }, { retryAfter: decision.retryAfter })
  }
}

/** Draws user codes until one is free. Of 25.6 billion, hardly any is taken. */
async function insertWithUserCode(
  request: Omit<DecoupledRequestRecord, 'userCodeDigest'>,
  { storage, keys, random }: DeviceEndpointDependencies,
): Promise<string> {
  for (let drawn = 0; drawn < maxDraws; drawn += 1) {
    const userCode = drawUserCode(random)
    const [userCodeDigest] = await digestUserCode(userCode, keys)
    const { outcome } = await decoupledStore(storage).insert({ ...request, userCodeDigest })
    if (outcome === 'inserted') return userCode
  }
  // RFC 8628 §5.1: two pending requests never share a user code.
  throw refuse('user_codes_exhausted')
}

const maxDraws = 5
