import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { getMember, getText, isArray, isObject } from '../values/json.ts'

/** Claims to set; undefined removes a claim from the user. */
export type ClaimChanges = Readonly<Record<string, JsonValue | undefined>>

/**
 * The OIDC claims of a SCIM user (OIDC Core §5.1). They do not include roles, entitlements and user types, because only the host
 * decides what an identity provider may grant.
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

/** The primary value, else the work value, else the first. */
function preferredValue(values: JsonValue | undefined): string | undefined {
  const elements = isArray(values) ? values.filter(isObject) : []
  const preferred =
    elements.find((element) => getMember(element, 'primary') === true) ??
    elements.find((element) => getMember(element, 'type') === 'work') ??
    elements[0]
  return preferred === undefined ? undefined : getText(preferred, 'value')
}

/** A profile page or picture (OIDC Core §5.1). Clients render it as a link, so `javascript:` and `file:` URLs are dropped. */
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
