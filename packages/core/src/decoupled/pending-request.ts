import type { Header, ServerRequest } from '@mintmark/internal'
import { after, type ClientRecord, type DurationSeconds, type EpochSeconds, seconds } from '@mintmark/storage-interface'
import type { DecoupledRequestRecord, Possession } from '@mintmark/storage-interface/stores'

import type { requestedAccess } from '../authorize/request.ts'
import type { AuthenticatedClient } from '../clients/authenticate.ts'
import { type Parameters, splitAtSpaces } from '../parameters.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'

/** Returns the members of a new request that do not depend on its kind. */
export const pendingRequest = (
  asked: { readonly client: ClientRecord; readonly form: Parameters; readonly lifetime: DurationSeconds },
  { scopes, resources, details }: Awaited<ReturnType<typeof requestedAccess>>,
  now: EpochSeconds,
): Omit<DecoupledRequestRecord, 'digest' | 'kind' | 'askedFrom' | 'possession'> => {
  const usableUntil = after(now, asked.lifetime)
  return {
    userCodeDigest: undefined,
    clientId: asked.client.clientId,
    scopes,
    resources,
    authorizationDetails: details,
    acrValues: splitAtSpaces(asked.form.get('acr_values')),
    userId: undefined,
    userGeneration: undefined,
    bindingMessage: undefined,
    notification: undefined,
    status: 'pending',
    approval: undefined,
    pollInterval,
    lastPolledAt: undefined,
    usableUntil,
    createdAt: now,
    // RFC 8628 §3.5, CIBA Core 1.0 §11: for as long, polls learn that the request has expired.
    expiresAt: after(usableUntil, keptAfterExpiry),
  }
}

/** In seconds: what clients wait without being told (RFC 8628 §3.2, CIBA Core 1.0 §7.3). */
export const pollInterval = 5

const keptAfterExpiry = seconds(600)

/** Returns where the request came from, as the host says. */
export const placeOf = (
  request: ServerRequest,
  { location }: { readonly location?: ((request: ServerRequest) => string | undefined) | undefined },
): string | undefined => location?.(request)?.slice(0, maxLocation)

/** In characters. */
const maxLocation = 200

/**
 * Binds a request to the key of its proof, so that nobody else can redeem it. The use of a public client's proof is not
 * recorded: a copy of it binds another request to the same key, which is of no use to a thief.
 */
export async function bindToKey(
  proof: VerifiedProof | undefined,
  client: AuthenticatedClient,
  { now, dpop }: { readonly now: EpochSeconds; readonly dpop: DpopVerifier },
): Promise<{ readonly possession: Possession; readonly headers: readonly Header[] }> {
  if (proof === undefined) return { possession: { kind: 'none' }, headers: [] }
  if (client.tokenEndpointAuthMethod !== 'none') await dpop.use(proof, now)
  return { possession: { kind: 'dpop', jkt: proof.jkt }, headers: await dpop.headers(proof, now) }
}
