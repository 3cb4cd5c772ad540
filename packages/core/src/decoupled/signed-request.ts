import { isCompactJws, isStorable } from '@mintmark/internal'
import { type EpochSeconds, seconds } from '@mintmark/storage-interface'

import {
  findTimeFault,
  isForIssuer,
  isRequestObjectType,
  maxLength,
  parametersOf,
  type RequestObjectDependencies,
} from '../authorize/request-object.ts'
import type { AuthenticatedClient } from '../clients/authenticate.ts'
import { verifyClientJwt } from '../clients/client-jwt.ts'
import { withSynonyms } from '../clients/usable-keys.ts'
import type { Parameters } from '../parameters.ts'
import { refuse, type Refusal } from '../refusals.ts'

/**
 * Returns the parameters of a backchannel authentication request: those in its signed JWT if the client is registered
 * for signed requests (CIBA Core 1.0 §7.1.1), otherwise those of the form. Both together are refused, because a client
 * that is registered for signatures relies on them.
 * @param known the names of the parameters that must not be outside of the signed JWT.
 * @throws OAuthError invalid_request, whatever is wrong with the JWT: CIBA Core 1.0 §13 has no other code for it.
 */
export async function signedOrPlain(
  form: Parameters,
  asked: { readonly client: AuthenticatedClient; readonly now: EpochSeconds; readonly known: ReadonlySet<string> },
  deps: RequestObjectDependencies,
): Promise<Parameters> {
  const { client, known } = asked
  const { backchannelAuthenticationRequestSigningAlg: algorithm } = client
  const jwt = form.get('request')
  if (algorithm === undefined) {
    // CIBA Core 1.0 §4: such a client does not send signed requests. Ignoring it would ignore the request in it.
    if (jwt !== undefined) throw refuse('signed_request_unregistered')
    return form
  }
  // CIBA Core 1.0 §7.1.1: otherwise an attacker could leave out the signature.
  if (jwt === undefined) throw refuse('request_object_required_ciba')
  // CIBA Core 1.0 §7.1.1: the parameters are in the JWT.
  if (form.names.some((name) => known.has(name))) throw refuse('parameter_outside_request')
  return openSignedRequest(jwt, { ...asked, algorithm }, deps)
}

interface SignedBy {
  readonly client: AuthenticatedClient
  readonly algorithm: string
  readonly known: ReadonlySet<string>
  readonly now: EpochSeconds
}

async function openSignedRequest(
  jwt: string,
  asked: SignedBy,
  { issuer, keySets }: RequestObjectDependencies,
): Promise<Parameters> {
  const { client, now, known, algorithm } = asked
  const fail = (row: Refusal) => refuse(row, { clientId: client.clientId })
  const by = { client, algorithms: withSynonyms([algorithm]), now }
  const verified = isCompactJws(jwt, maxLength) ? await verifyClientJwt(jwt, by, keySets) : undefined
  // RFC 8725 §3.11: the client must sign it as a request, with its registered algorithm.
  if (verified === undefined || !isRequestObjectType(verified.header.typ)) throw fail('request_object_unverified_ciba')
  const { claims } = verified
  // CIBA Core 1.0 §7.1.1: iss, aud, exp, nbf, iat and jti are required.
  if (claims['iss'] !== client.clientId) throw fail('request_object_issuer_ciba')
  if (!isForIssuer(claims['aud'], issuer)) throw fail('request_object_audience_ciba')
  const timeFault = findTimeFault(claims, { requestObjectLifetime: longestLifetime }, now)
  if (timeFault !== undefined) throw fail(`${timeFault}_ciba`)
  const parameters = isStorable(claims) ? parametersOf(claims, (name) => known.has(name)) : undefined
  if (
    parameters === undefined ||
    typeof claims['iat'] !== 'number' ||
    typeof claims['jti'] !== 'string' ||
    ['request', 'request_uri', 'sub'].some((name) => Object.hasOwn(claims, name))
  )
    throw fail('request_object_member_ciba')
  return parameters
}

/** FAPI-CIBA §5.2.2: at most 60 minutes. Other clients need no more. */
const longestLifetime = seconds(3600)
