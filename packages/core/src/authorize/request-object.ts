import { isCompactJws, isStorable } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { clientAlgorithms, verifyClientJwt } from '../clients/client-jwt.ts'
import { withSynonyms } from '../clients/usable-keys.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import { type ProfileRules, profileRules, type ProfileSettings } from '../clients/security-profile.ts'
import { indexParameters, type Parameters } from '../parameters.ts'
import { refuse, type Refusal } from '../refusals.ts'
import { isKnownParameter } from './parameters.ts'

export interface RequestObjectDependencies extends ProfileSettings {
  readonly issuer: string
  readonly keySets: RemoteKeySets
}

/**
 * Whether the client has keys with which the server can verify its request objects. A client without keys gets
 * `request_not_supported`.
 */
export const canSignRequests = ({ jwks, jwksUri }: ClientRecord): boolean => jwks !== undefined || jwksUri !== undefined

/**
 * Verifies the request object in the parameter `request`, and returns the parameters that it contains. Parameters
 * outside the request object are ignored, because anybody could have added them (RFC 9101 §6.3).
 * @throws OAuthError invalid_request_object — reason `request_object_unverified` | `request_object_issuer` |
 *   `request_object_audience` | `request_object_contradicted` | `request_object_member`, or a reason of `findTimeFault`.
 *   These errors are shown on a local page, because no redirect URI is proven until the signature is verified.
 */
export async function openRequestObject(
  received: Parameters,
  { client, now }: { readonly client: ClientRecord; readonly now: EpochSeconds },
  deps: RequestObjectDependencies,
): Promise<Parameters> {
  const fail = (row: Refusal) => refuse(row, { clientId: client.clientId })
  // RFC 6749 §3.1: parameters must not repeat.
  if (received.isRepeated('request')) throw fail('parameter_repeated')
  const rules = profileRules(client, deps)
  const claims = await verifyRequestObject(received.get('request') ?? '', { client, now, rules }, deps)
  // RFC 9101 §4, §10.2: the client must sign it as a request object, with an accepted algorithm.
  if (claims === undefined) throw fail('request_object_unverified')
  // RFC 9101 §4, RFC 7519 §4.1.1, §4.1.3: the client is the issuer; the audience includes this server.
  if (claims['iss'] !== client.clientId) throw fail('request_object_issuer')
  if (!isForIssuer(claims['aud'], deps.issuer)) throw fail('request_object_audience')
  // RFC 9101 §10.2, RFC 7519 §4.1.4, FAPI 2.0 MS §5.3.1.
  const timeFault = findTimeFault(claims, rules, now)
  if (timeFault !== undefined) throw fail(timeFault)
  // RFC 9101 §5: client_id is the same inside and outside. OIDC Core §6.1: so is response_type, if it occurs outside.
  const responseType = received.get('response_type')
  if (claims['client_id'] !== client.clientId || (responseType ?? claims['response_type']) !== claims['response_type'])
    throw fail('request_object_contradicted')
  // Parameters that are JSON are written as text, which fails for values that are nested too deeply.
  const parameters = isStorable(claims) ? parametersOf(claims) : undefined
  // RFC 9101 §4: no request object may contain another. §10.8: with a subject, it could serve as a client assertion.
  // RFC 3986 §2.5: text that is not well-formed Unicode cannot be returned in a URL, and not every store keeps it.
  if (parameters === undefined || ['request', 'request_uri', 'sub'].some((name) => Object.hasOwn(claims, name)))
    throw fail('request_object_member')
  return parameters
}

async function verifyRequestObject(
  jwt: string,
  { client, now, rules }: { readonly client: ClientRecord; readonly now: EpochSeconds; readonly rules: ProfileRules },
  { keySets }: RequestObjectDependencies,
): Promise<JsonObject | undefined> {
  const { requestObjectSigningAlg: registered } = client
  const accepted = rules.algorithms ?? clientAlgorithms
  const algorithms =
    registered === undefined ? accepted : accepted.filter((name) => withSynonyms([registered]).includes(name))
  const verified = isCompactJws(jwt, maxLength)
    ? await verifyClientJwt(jwt, { client, algorithms, now }, keySets)
    : undefined
  return verified !== undefined && isRequestObjectType(verified.header.typ) ? verified.claims : undefined
}

/** RFC 9101 §10.8, RFC 8725 §3.11: JWTs that the client signs for other purposes have another type. */
export const isRequestObjectType = (type: string | undefined): boolean =>
  type === undefined || ['jwt', 'oauth-authz-req+jwt'].includes(type.toLowerCase())

export const isForIssuer = (audience: JsonValue | undefined, issuer: string): boolean =>
  Array.isArray(audience) ? audience.includes(issuer) : audience === issuer

type TimeFault = `request_object_${'expiry_missing' | 'expired' | 'early' | 'start_missing' | 'old' | 'long_lived'}`

/** Returns what is wrong with the times of the request object: with those of RFC 7519 first, then with those of the profile. */
export function findTimeFault(
  { exp, nbf, iat }: JsonObject,
  { requestObjectLifetime: longest }: Pick<ProfileRules, 'requestObjectLifetime'>,
  now: EpochSeconds,
): TimeFault | undefined {
  if (typeof exp !== 'number') return 'request_object_expiry_missing'
  if (!(now < exp)) return 'request_object_expired'
  const isPast = (time: JsonValue | undefined) =>
    time === undefined || (typeof time === 'number' && time <= now + clockSkew)
  if (!isPast(nbf) || !isPast(iat)) return 'request_object_early'
  if (longest === undefined) return undefined
  if (typeof nbf !== 'number') return 'request_object_start_missing'
  if (nbf < now - longest) return 'request_object_old'
  return exp > nbf + longest ? 'request_object_long_lived' : undefined
}

/**
 * Converts the claims into parameters. A claim may be a string, a number of seconds or JSON (RFC 9101 §4).
 * @returns `undefined` when a known parameter has the wrong type.
 */
export function parametersOf(claims: JsonObject, isKnown = isKnownParameter): Parameters | undefined {
  const list: (readonly [string, string])[] = []
  for (const [name, value] of Object.entries(claims)) {
    if (jwtClaims.has(name)) continue
    const values = parameterValues(name, value)
    if (values === undefined && isKnown(name)) return undefined
    for (const each of values ?? []) list.push([name, each])
  }
  return indexParameters(list)
}

function parameterValues(name: string, value: JsonValue): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  // OIDC Core §6.1, CIBA Core 1.0 §7.1.1.
  if (name === 'max_age' || name === 'requested_expiry') return typeof value === 'number' ? [String(value)] : undefined
  if (jsonParameters.has(name)) return typeof value === 'object' && value !== null ? [JSON.stringify(value)] : undefined
  // RFC 8707 §2: resource is the only parameter that may repeat.
  return name === 'resource' && Array.isArray(value) ? stringsOrNone(value) : undefined
}

const stringsOrNone = (values: readonly JsonValue[]): readonly string[] | undefined =>
  values.every((value) => typeof value === 'string') ? values : undefined

/** Claims of the JWT itself (RFC 7519 §4.1). */
const jwtClaims: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** Parameters that are JSON (OIDC Core §5.5, §7.2.1, RFC 9396 §2). */
const jsonParameters: ReadonlySet<string> = new Set(['claims', 'registration', 'authorization_details'])

/** The maximum length in characters. The server reads no longer form body. */
export const maxLength = 16_384

/** How far ahead a client's clock may be, in seconds. */
const clockSkew = 30
