import type { ScimDocument } from './scim-documents.ts'

/** The state that Mintmark stores for a user. Here hand-written code creates it for the users of `scim-user.ts`. */
export interface AccountState {
  readonly active: boolean
  /** The values of the text columns. */
  readonly columns: Readonly<Record<'externalId' | 'userNameKey' | 'resource' | 'comparable' | 'claims', string>>
}

export function accountState(document: ScimDocument): AccountState {
  const { type, ...address } = document.addresses[0] ?? { type: 'work' }
  const { employeeNumber, department, organization } = document[enterprise]
  const { schemas, userName, name, displayName, title, preferredLanguage, emails, phoneNumbers } = document
  const resource = {
    schemas,
    userName,
    name,
    displayName,
    title,
    preferredLanguage,
    emails,
    phoneNumbers,
    addresses: [{ ...address, type }],
    [enterprise]: { employeeNumber, organization, department },
  }
  return {
    active: document.active,
    columns: {
      externalId: document.externalId,
      userNameKey: userName.toLowerCase(),
      resource: JSON.stringify(resource),
      comparable: JSON.stringify(withLowerCaseText(resource)),
      claims: accountClaims(document),
    },
  }
}

/** The claims that Mintmark stores for a user. */
export const accountClaims = ({
  userName,
  name,
  emails,
  phoneNumbers,
}: Pick<ScimDocument, 'userName' | 'name' | 'emails' | 'phoneNumbers'>): string =>
  JSON.stringify({
    name: name.formatted,
    given_name: name.givenName,
    family_name: name.familyName,
    preferred_username: userName,
    email: emails[0]?.value,
    email_verified: false,
    phone_number: phoneNumbers[0]?.value,
    phone_number_verified: false,
  })

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

function withLowerCaseText(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return value.map(withLowerCaseText)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withLowerCaseText(member)]))
}
