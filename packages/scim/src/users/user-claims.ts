import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, getMember, getText } from '../values/json.ts'

/** What a claim becomes: undefined takes it away from the account. */
export type ClaimChanges = Readonly<Record<string, JsonValue | undefined>>

/**
 * The OIDC claims (OIDC Core §5.1) that follow from a SCIM user. Roles, entitlements and types of user are not among them:
 * what an identity provider may decide here is the host's to say.
 * @param isVerified whether an address of the provider's counts as verified.
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
    // OIDC Core §5.1: what a provider writes is not what the host has verified; the host's `claims` may say otherwise.
    phone_number_verified: phoneNumber === undefined ? undefined : false,
  }
}

/** The primary value, or else the one for work, or else the first. */
function preferredValue(values: JsonValue | undefined): string | undefined {
  const elements = isArray(values) ? values.filter(isObject) : []
  const preferred =
    elements.find((element) => getMember(element, 'primary') === true) ??
    elements.find((element) => getMember(element, 'type') === 'work') ??
    elements[0]
  return preferred === undefined ? undefined : getText(preferred, 'value')
}

/** A page or a picture (OIDC Core §5.1), which clients make links of: never `javascript:`, or a file of theirs. */
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
