import { findResourceName, isJsonObject, isStorable, repeatsMember, utf8Length } from '@mintmark/internal'
import {
  type ClientRecord,
  type JsonObject,
  type JsonValue,
  StorageUnavailableError,
} from '@mintmark/storage-interface'

import { refuse } from '../refusals.ts'
import {
  type AuthorizationDetailType,
  type DetailTypes,
  isEqualJson,
  isWithin,
  locationsOf,
  typeNameOf,
  typeOf,
} from './detail-types.ts'

export interface DetailRules {
  readonly client: Pick<ClientRecord, 'clientId' | 'authorizationDetailsTypes'>
  readonly types: DetailTypes
}

/**
 * Parses the parameter `authorization_details` of an authorization request (RFC 9396 §2, §5): a JSON array of 1 to 16
 * objects. The server must define the type of each object, and the client must be registered for it.
 * @throws OAuthError invalid_authorization_details — reason `details_malformed` | `detail_type_unknown` |
 *   `detail_type_not_registered` | `detail_invalid`.
 */
export async function parseDetails(text: string, rules: DetailRules): Promise<readonly JsonObject[]> {
  return Promise.all(readDetails(text).map((value) => parseDetail(value, rules, 'requested')))
}

/**
 * Determines the authorization details of one access token: the granted entries, or the narrower entries that the token
 * request names. Each granted entry covers at most one requested entry, so that a client cannot double a payment
 * (RFC 9396 §6).
 * @param text the parameter of the token request.
 * @returns the entries. Granted entries that the client may no longer request are left out.
 * @throws OAuthError like `parseDetails`, and reason `detail_not_granted`.
 */
export async function narrowDetails(
  text: string | undefined,
  granted: readonly JsonObject[],
  rules: DetailRules,
): Promise<readonly JsonObject[]> {
  const usable = registeredDetails(granted, rules)
  if (text === undefined) return usable
  const requested = await Promise.all(
    readDetails(text).map(
      async (value) => usable.find((one) => isEqualJson(one, value)) ?? parseDetail(value, rules, 'granted'),
    ),
  )
  // RFC 9396 §6: a token request may only narrow what was granted.
  if (!isCovered(requested, usable, rules.types))
    throw refuse('detail_not_granted', { clientId: rules.client.clientId })
  return requested
}

/** Whether each requested entry can be assigned to a different granted entry that permits it. */
function isCovered(requested: readonly JsonObject[], granted: readonly JsonObject[], types: DetailTypes): boolean {
  const coveredBy = new Map<number, JsonObject>()
  const assign = (detail: JsonObject, tried: Set<number>): boolean =>
    granted.some((one, index) => {
      if (tried.has(index) || !isWithin(detail, one, types)) return false
      tried.add(index)
      const assigned = coveredBy.get(index)
      if (assigned !== undefined && !assign(assigned, tried)) return false
      coveredBy.set(index, detail)
      return true
    })
  return requested.every((detail) => assign(detail, new Set()))
}

/** Returns the entries whose type the server still defines and the client is still registered for. */
export const registeredDetails = (
  granted: readonly JsonObject[],
  { client, types }: DetailRules,
): readonly JsonObject[] =>
  granted.filter(
    (detail) => typeOf(detail, types) !== undefined && client.authorizationDetailsTypes.includes(typeNameOf(detail)),
  )

/** Returns the entries that are for one of the audiences, or for every audience (RFC 9396 §9). */
export const detailsFor = (
  details: readonly JsonObject[],
  audience: readonly string[],
  types: DetailTypes,
): readonly JsonObject[] =>
  details.filter((detail) => {
    const locations = locationsOf(detail, types)
    return locations.length === 0 || locations.some((location) => findResourceName(location, audience) !== undefined)
  })

/** Keeps the resources that none of the entries is for. */
export const resourcesWithoutDetails = (
  resources: readonly string[],
  details: readonly JsonObject[],
  types: DetailTypes,
): readonly string[] => resources.filter((uri) => detailsFor(details, [uri], types).length === 0)

/** @throws OAuthError invalid_authorization_details — reason `detail_location_not_requested`. */
export function refuseOtherLocations(
  details: readonly JsonObject[],
  audience: readonly string[],
  types: DetailTypes,
): void {
  const isElsewhere = details.some((detail) =>
    locationsOf(detail, types).some((location) => findResourceName(location, audience) === undefined),
  )
  // RFC 9396 §5: otherwise the user would consent to an entry that no token contains.
  if (isElsewhere) throw refuse('detail_location_not_requested')
}

/**
 * Adds what the user chose to an entry (RFC 9396 §7.1).
 * @throws OAuthError invalid_authorization_details — reason `detail_invalid`.
 */
export async function enrichDetail(detail: JsonObject, choice: unknown, types: DetailTypes): Promise<JsonObject> {
  const type = typeOf(detail, types)
  if (type?.enrich === undefined) return detail
  try {
    return checkParsed(detail['type'], await type.enrich(detail, choice))
  } catch (cause) {
    if (cause instanceof StorageUnavailableError) throw cause
    // RFC 9396 §7.1: the choice comes from a form, so it may have any value.
    throw refuse('detail_invalid', {}, { cause })
  }
}

/** Returns the identifier that a page uses for a requested entry: its position. */
export const detailId = (index: number): string => String(index)

function readDetails(text: string): readonly JsonObject[] {
  const list = utf8Length(text) > maxBytes ? undefined : parseList(text)
  // RFC 9396 §2: an array of objects.
  if (list === undefined || list.length === 0 || list.length > maxEntries || !list.every(isJsonObject))
    throw refuse('details_malformed')
  // RFC 9396 §2, RFC 8259 §4, §6: refuse JSON that parsers read differently, and strings that storage cannot hold.
  if (!isUnambiguous(list) || repeatsMember(text) || !isStorable(list)) throw refuse('details_malformed')
  return list
}

function parseList(text: string): readonly JsonValue[] | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return Array.isArray(value) ? value : undefined
  } catch {
    // JSON.parse throws if the string is not JSON.
    return undefined
  }
}

/**
 * Whether the value is nested at most `maxDepth` deep and contains no infinite number, no -0 and no member `__proto__`.
 */
function isUnambiguous(value: JsonValue, depth = 1): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || value === null) return true
  if (depth > maxDepth || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((member: JsonValue) => isUnambiguous(member, depth + 1))
}

async function parseDetail(
  value: JsonObject,
  { client, types }: DetailRules,
  kind: 'requested' | 'granted',
): Promise<JsonObject> {
  const { clientId } = client
  const type = typeOf(value, types)
  // RFC 9396 §5: an unknown type is refused, never ignored.
  if (type === undefined) throw refuse('detail_type_unknown', { clientId })
  // RFC 9396 §10: the client must be registered for the type.
  if (!client.authorizationDetailsTypes.includes(typeNameOf(value)))
    throw refuse('detail_type_not_registered', { clientId })
  return checkParsed(value['type'], await parseWith(type, value, { clientId, kind }))
}

async function parseWith(
  type: AuthorizationDetailType,
  value: JsonObject,
  { clientId, kind }: { readonly clientId: string; readonly kind: 'requested' | 'granted' },
): Promise<JsonObject> {
  try {
    return await (kind === 'granted' && type.parseGranted !== undefined
      ? type.parseGranted(value, { clientId })
      : type.parse(value, { clientId }))
  } catch (cause) {
    if (cause instanceof StorageUnavailableError) throw cause
    // RFC 9396 §5: the entry has unknown or invalid members, or the type does not permit it.
    throw refuse('detail_invalid', { clientId }, { cause })
  }
}

/** @throws TypeError when the host's own code returns something that a token cannot contain. */
function checkParsed(type: JsonValue | undefined, detail: JsonObject): JsonObject {
  const text = JSON.stringify(detail)
  const parsed = JSON.parse(text) as JsonObject
  if (parsed['type'] !== type)
    throw new TypeError('authorizationDetails: the returned entry must have the type of the given entry.')
  if (!isUnambiguous([parsed]) || !isStorable(parsed) || utf8Length(text) > maxBytes)
    throw new TypeError(
      'authorizationDetails: the returned entry must be JSON of at most 8 KiB, nested at most 8 deep.',
    )
  return parsed
}

const maxEntries = 16

/** The maximum size of the whole array. */
const maxBytes = 8192

/** The maximum number of nested levels. The array is the first level. */
const maxDepth = 8
