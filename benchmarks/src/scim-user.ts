/**
 * Returns the user with a number, as an identity provider would create it: with the attributes that Okta and Entra send
 * for an employee.
 */
export const scimUser = (number: number | string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `external-${number}`,
  userName: scimUserName(number),
  name: { formatted: `Ann Person ${number}`, familyName: `Person ${number}`, givenName: 'Ann' },
  displayName: `Ann Person ${number}`,
  title: 'Vice President',
  preferredLanguage: 'en-GB',
  active: true,
  emails: [
    { value: scimWorkEmail(number), type: 'work', primary: true },
    { value: `ann.${number}@home.test`, type: 'home' },
  ],
  phoneNumbers: [{ value: `+47 555 ${number}`, type: 'work' }],
  addresses: [{ type: 'work', streetAddress: 'Somewhere 12', locality: 'Oslo', postalCode: '0150', country: 'NO' }],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
    employeeNumber: `${number}`,
    department: 'Sales',
    organization: 'Example',
  },
})

/** Returns the `id` of an existing user. */
export const scimUserId = (number: number | string): string => `account-${number}`

export const scimUserName = (number: number | string): string => `ann.${number}@example.test`

export const scimWorkEmail = (number: number | string): string => `ann.${number}@work.test`
