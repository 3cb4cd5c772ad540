import { isCompactJws } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { clientAlgorithms, verifyClientJwt } from '../clients/client-jwt.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import { type ProfileRules, profileRules, type ProfileSettings } from '../clients/security-profile.ts'
import { indexParameters, type Parameters } from '../parameters.ts'
import { refuse, type Refusal } from '../refusals.ts'
import { isKnownParameter } from './parameters.ts'

export interface RequestObjectDependencies extends ProfileSettings {
  readonly issuer: string
  readonly keySets: RemoteKeySets
}

/** Whether the server can verify request objects of the client. The others get `request_not_supported`. */
export const signsRequests = ({ jwks, jwksUri }: ClientRecord): boolean => jwks !== undefined || jwksUri !== undefined

/**
 * Verifies a request object that the request contains by value, and returns the parameters in it. Only those count: the
 * ones beside it could be anybody's (RFC 9101 §6.3).
 * @throws OAuthError invalid_request_object — reason `request_object_unverified` | `request_object_audience` |
 *   `request_object_expired` | `request_object_contradicted` | `request_object_member`. Until the signature is verified, no
 *   redirect URI is proven, so they are shown on a local page.
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
  // RFC 9101 §4, §10.2: signed by the client, with an accepted algorithm, as a request object.
  if (claims === undefined) throw fail('request_object_unverified')
  // RFC 9101 §4, RFC 7519 §4.1.3: the audience may have further members.
  if (claims['iss'] !== client.clientId || !isFor(claims['aud'], deps.issuer)) throw fail('request_object_audience')
  // RFC 9101 §10.2, RFC 7519 §4.1.4, FAPI 2.0 MS §5.3.1.
  if (!isInTime(claims, now) || !isShort(claims, rules, now)) throw fail('request_object_expired')
  // RFC 9101 §5: client_id is the same inside and outside. OIDC Core §6.1: so is response_type, if it is outside.
  const responseType = received.get('response_type')
  if (claims['client_id'] !== client.clientId || (responseType ?? claims['response_type']) !== claims['response_type'])
    throw fail('request_object_contradicted')
  const parameters = parametersOf(claims)
  // RFC 9101 §4: no other request object inside. §10.8: nor a subject, with which it would be a client assertion.
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
  const algorithms = registered === undefined ? accepted : accepted.filter((name) => name === registered)
  const verified = isCompactJws(jwt, maxLength)
    ? await verifyClientJwt(jwt, { client, algorithms, now }, keySets)
    : undefined
  return verified !== undefined && isType(verified.header.typ) ? verified.claims : undefined
}

/** RFC 9101 §10.8, RFC 8725 §3.11: JWTs that the client signs for other purposes have another type. */
const isType = (type: string | undefined): boolean =>
  type === undefined || ['jwt', 'oauth-authz-req+jwt'].includes(type.toLowerCase())

const isFor = (audience: JsonValue | undefined, issuer: string): boolean =>
  Array.isArray(audience) ? audience.includes(issuer) : audience === issuer

function isInTime({ exp, nbf, iat }: JsonObject, now: EpochSeconds): boolean {
  if (typeof exp !== 'number' || !(now < exp)) return false
  return [nbf, iat].every((time) => time === undefined || (typeof time === 'number' && time <= now + clockSkew))
}

/** Whether it says from when on it is valid, recently and not for long, if the profile wants that. */
function isShort({ exp, nbf }: JsonObject, { requestObjectLifetime: most }: ProfileRules, now: EpochSeconds): boolean {
  if (most === undefined) return true
  return typeof nbf === 'number' && typeof exp === 'number' && nbf >= now - most && exp <= nbf + most
}

/**
 * The claims as parameters: texts, a number of seconds, and JSON (RFC 9101 §4).
 * @returns `undefined` when a parameter has another type than it may have.
 */
function parametersOf(claims: JsonObject): Parameters | undefined {
  const list: (readonly [string, string])[] = []
  for (const [name, value] of Object.entries(claims)) {
    if (jwtClaims.has(name)) continue
    const texts = textsOf(name, value)
    if (texts === undefined && isKnownParameter(name)) return undefined
    for (const text of texts ?? []) list.push([name, text])
  }
  return indexParameters(list)
}

function textsOf(name: string, value: JsonValue): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  if (name === 'max_age') return typeof value === 'number' ? [String(value)] : undefined
  if (jsonParameters.has(name)) return typeof value === 'object' && value !== null ? [JSON.stringify(value)] : undefined
  // RFC 8707 §2: the only parameter that may repeat.
  return name === 'resource' && Array.isArray(value) ? textList(value) : undefined
}

const textList = (values: readonly JsonValue[]): readonly string[] | undefined =>
  values.every((value) => typeof value === 'string') ? values : undefined

/** Claims of the JWT itself (RFC 7519 §4.1). */
const jwtClaims: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** Parameters that are JSON (OIDC Core §5.5, §7.2.1, RFC 9396 §2). */
const jsonParameters: ReadonlySet<string> = new Set(['claims', 'registration', 'authorization_details'])

/** In characters: no form is longer. */
const maxLength = 16_384

/** In seconds: how much a client's clock may differ. */
const clockSkew = 30
