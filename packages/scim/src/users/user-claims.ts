import type { JsonObject, JsonValue, ScimStorage, UserId } from '@mintmark/storage-interface'
import type { ProviderId, ProvisionedState } from '@mintmark/storage-interface/stores'

import type { ScimOccurrence } from '../event/scim-event.ts'
import { getMember, getText, isArray, isObject, sameValue, withMembers } from '../values/json.ts'
import { isEmailAddress } from '../values/text.ts'
import type { ClaimChanges, ClaimMapping, ClaimSource, UserBefore } from './user-dependencies.ts'

/**
 * Returns the claims after a provider wrote a user. A user whom the provider created gets the claims that it writes.
 * For a user whom the host had before, only claims that differ from the provider's last write change, and an e-mail
 * address or telephone number that the host has verified is never replaced by an unverified one.
 */
export function claimsAfter(
  resource: JsonObject,
  { source, claims, hostUser }: UserBefore,
  mapping: ClaimMapping,
): JsonObject {
  const standard = mapping.standard(resource, source)
  const custom = mapping.custom(resource, source)
  if (hostUser === undefined) return mergeClaims(claims, standard, custom)
  if (hostUser === 'linked') return mergeClaims(claims, linkedClaims(claims, standard), custom)
  const changes = changedClaims(mapping.standard(hostUser, source), standard)
  return mergeClaims(
    claims,
    withoutUnverified(claims, { ...changes, ...verificationOf(changes, standard) }),
    changedClaims(mapping.custom(hostUser, source), custom),
  )
}

/**
 * Returns the verification claim of each changed address or number, including one that has the same value as before the
 * change.
 */
const verificationOf = (changes: ClaimChanges, after: ClaimChanges): ClaimChanges =>
  Object.fromEntries(
    verifiedPairs.flatMap(([name, verified]) => (Object.hasOwn(changes, name) ? [[verified, after[verified]]] : [])),
  )

const mergeClaims = (claims: JsonObject, ...changes: readonly ClaimChanges[]): JsonObject =>
  changes.reduce<JsonObject>(withMembers, claims)

const changedClaims = (before: ClaimChanges, after: ClaimChanges): ClaimChanges =>
  Object.fromEntries(
    Object.entries({ ...withUndefinedValues(before), ...after }).filter(
      ([name, value]) => !isSameClaim(before[name], value),
    ),
  )

const withUndefinedValues = (claims: ClaimChanges): ClaimChanges =>
  Object.fromEntries(Object.keys(claims).map((name) => [name, undefined]))

const isSameClaim = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  one === undefined || other === undefined ? one === other : sameValue(one, other)

/**
 * Returns the claims that linking changes. A user with a verified e-mail address keeps every claim that the host has
 * set.
 */
function linkedClaims(claims: JsonObject, standard: ClaimChanges): ClaimChanges {
  const changes = withoutUnverified(claims, standard)
  if (claims['email_verified'] !== true) return changes
  return Object.fromEntries(Object.entries(changes).filter(([name]) => claims[name] === undefined))
}

/** Leaves out an unverified address or number when the host has verified another one. */
function withoutUnverified(claims: JsonObject, changes: ClaimChanges): ClaimChanges {
  const dropped = verifiedPairs.flatMap(([name, verified]): readonly string[] =>
    claims[verified] === true && changes[verified] !== true ? [name, verified] : [],
  )
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !dropped.includes(name)))
}

const verifiedPairs = [
  ['email', 'email_verified'],
  ['phone_number', 'phone_number_verified'],
] as const

/** The host's decisions about the claims of a SCIM user. */
interface ClaimHooks {
  readonly emailVerified?: (email: string, source: ClaimSource) => boolean
  readonly claims?: (resource: JsonObject, source: ClaimSource) => ClaimChanges
}

/** Creates the mapping from a SCIM user to claims: the standard claims and the claims of the host. */
export function createClaimMapping({
  emailVerified = isInVerifiedDomain,
  claims = () => ({}),
}: ClaimHooks): ClaimMapping {
  return {
    // OIDC Core §5.1: `email` is an addr-spec, so no other string counts as verified, whatever the host's hook returns.
    standard: (resource, source) =>
      userClaims(resource, (email) => isEmailAddress(email) && emailVerified(email, source)),
    custom: claims,
  }
}

/**
 * Returns whether the domain of an address is one that an administrator has verified for the provider, and not a
 * subdomain.
 */
const isInVerifiedDomain = (email: string, { verifiedDomains }: ClaimSource): boolean =>
  verifiedDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())

/**
 * Derives the OIDC claims of a SCIM user (OIDC Core §5.1). They do not include roles, entitlements and user types,
 * because only the host decides what an identity provider may grant.
 * @param isVerified whether an e-mail address counts as verified.
 */
export function userClaims(resource: JsonObject, isVerified: (email: string) => boolean): ClaimChanges {
  const name = partOf(resource, 'name')
  const email = preferredValue(getMember(resource, 'emails'))
  const phoneNumber = preferredValue(getMember(resource, 'phoneNumbers'))
  return {
    name: getText(resource, 'displayName') ?? getText(name, 'formatted') ?? joinedName(name),
    given_name: getText(name, 'givenName'),
    family_name: getText(name, 'familyName'),
    middle_name: getText(name, 'middleName'),
    nickname: getText(resource, 'nickName'),
    preferred_username: getText(resource, 'userName'),
    profile: webAddress(getText(resource, 'profileUrl')),
    picture: webAddress(preferredValue(getMember(resource, 'photos'))),
    locale: getText(resource, 'locale'),
    zoneinfo: getText(resource, 'timezone'),
    email,
    email_verified: email === undefined ? undefined : isVerified(email),
    phone_number: phoneNumber,
    // OIDC Core §5.1: an address from a provider is not verified by the host, whose `claims` option may change this.
    phone_number_verified: phoneNumber === undefined ? undefined : false,
  }
}

/** Returns the primary value, or else the work value, or else the first value. */
function preferredValue(values: JsonValue | undefined): string | undefined {
  // A primary value without a `value` must not hide another address.
  const elements = (isArray(values) ? values.filter(isObject) : []).filter(
    (each) => getText(each, 'value') !== undefined,
  )
  const preferred =
    elements.find((element) => getMember(element, 'primary') === true) ??
    elements.find((element) => getMember(element, 'type') === 'work') ??
    elements[0]
  return preferred === undefined ? undefined : getText(preferred, 'value')
}

/**
 * Returns the URL of a profile page or picture (OIDC Core §5.1) if it is an http or https URL. Clients render it as a
 * link, so other URLs, such as `javascript:`, are dropped.
 */
function webAddress(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined
}

function joinedName(name: JsonObject): string | undefined {
  const parts = [getText(name, 'givenName'), getText(name, 'familyName')].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(' ')
}

function partOf(resource: JsonObject, attribute: string): JsonObject {
  const value = getMember(resource, attribute)
  return isObject(value) ? value : {}
}

/**
 * Records an event if a provider gave a user roles that the host has not mapped (`withDirectoryRoles`), and that the user did not have
 * before. A provider without an organization gives no roles, so nothing is missing.
 */
export async function reportUnmappedRoles(
  {
    userId,
    before,
    after,
  }: {
    readonly userId: UserId
    readonly before: Pick<ProvisionedState, 'resource'> | undefined
    readonly after: Pick<ProvisionedState, 'resource'>
  },
  { providerId, record }: { readonly providerId: ProviderId; readonly record: (occurrence: ScimOccurrence) => void },
  { directoryRoles, identityProviders }: Pick<ScimStorage, 'directoryRoles' | 'identityProviders'>,
): Promise<void> {
  if (directoryRoles === undefined) return
  const known = before === undefined ? [] : directoryRoles.unmapped(providerId, before.resource)
  const values = directoryRoles.unmapped(providerId, after.resource).filter((value) => !known.includes(value))
  if (values.length === 0) return
  const provider = await identityProviders.find(providerId)
  if (provider?.organizationId !== undefined) record({ type: 'roles.unmapped', providerId, userId, values })
}
