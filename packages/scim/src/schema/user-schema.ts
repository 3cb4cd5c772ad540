import { defineResourceType } from './resource-type.ts'
import { type AttributeOptions, defineSchema } from './schema.ts'

/** RFC 7643 §4.1: urn:ietf:params:scim:schemas:core:2.0:User. */
export const userSchema = defineSchema({
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'User Account',
  attributes: [
    {
      name: 'userName',
      description: 'The name that identifies the user to the service. Unique within the identity provider.',
      required: true,
      uniqueness: 'server',
      maxLength: 1024,
      characters: 'identifier',
    },
    {
      name: 'name',
      type: 'complex',
      description: "The parts of the user's name.",
      subAttributes: [
        { name: 'formatted', characters: 'name', description: 'The full name, for display.' },
        { name: 'familyName', characters: 'name', description: 'The family name, or last name.' },
        { name: 'givenName', characters: 'name', description: 'The given name, or first name.' },
        { name: 'middleName', characters: 'name', description: 'The middle name or names.' },
        { name: 'honorificPrefix', characters: 'name', description: 'A title, such as Dr.' },
        { name: 'honorificSuffix', characters: 'name', description: 'A suffix, such as III.' },
      ],
    },
    { name: 'displayName', characters: 'name', description: 'The name of the user, for display.' },
    { name: 'nickName', characters: 'name', description: 'The casual name of the user, such as Bob.' },
    {
      name: 'profileUrl',
      type: 'reference',
      referenceTypes: ['external'],
      description: 'The URL of an online profile of the user.',
    },
    { name: 'title', characters: 'name', description: "The user's title, such as Vice President." },
    { name: 'userType', description: 'The relationship between the user and the organization, such as Contractor.' },
    {
      name: 'preferredLanguage',
      description: 'The preferred languages of the user, in the format of Accept-Language (RFC 9110 §12.5.4).',
    },
    {
      name: 'locale',
      description: 'A language tag that determines the format of dates and numbers, such as en-US (RFC 5646).',
    },
    { name: 'timezone', description: 'The time zone of the user, as in the IANA database: Europe/Oslo.' },
    { name: 'active', type: 'boolean', description: 'Whether the user is active.' },
    {
      name: 'password',
      description: 'A new password. Never returned.',
      // RFC 7643 §4.1.1.
      caseExact: true,
      mutability: 'writeOnly',
      returned: 'never',
    },
    multiValued({ name: 'emails', description: 'E-mail addresses.', maxValues: 100 }, {}, ['work', 'home', 'other']),
    multiValued({ name: 'phoneNumbers', description: 'Telephone numbers (RFC 3966).' }, {}, [
      'work',
      'home',
      'mobile',
      'fax',
      'pager',
      'other',
    ]),
    multiValued({ name: 'ims', description: 'Addresses for instant messages.' }),
    multiValued(
      { name: 'photos', description: 'The URLs of pictures of the user.' },
      { type: 'reference', referenceTypes: ['external'], maxLength: 16_384 },
      ['photo', 'thumbnail'],
    ),
    {
      name: 'addresses',
      type: 'complex',
      multiValued: true,
      description: 'Postal addresses.',
      subAttributes: [
        { name: 'formatted', characters: 'lines', description: 'The full address. It may have line breaks.' },
        {
          name: 'streetAddress',
          characters: 'lines',
          description: 'The street, house number or post box. It may have line breaks.',
        },
        { name: 'locality', characters: 'name', description: 'The city.' },
        { name: 'region', characters: 'name', description: 'The state or region.' },
        { name: 'postalCode', description: 'The postal code.' },
        { name: 'country', description: 'The country code (ISO 3166-1 alpha-2).' },
        { name: 'type', canonicalValues: ['work', 'home', 'other'], description: 'The kind of address, such as work.' },
        {
          name: 'primary',
          type: 'boolean',
          description: 'Whether this is the preferred value. At most one value can be primary.',
        },
      ],
    },
    {
      name: 'groups',
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      description: 'The groups that the user belongs to. To change them, change the members of the group.',
      subAttributes: [
        { name: 'value', caseExact: true, mutability: 'readOnly', description: 'The id of the group.' },
        // RFC 7643 §8.7.1 with erratum 8471: only groups.
        {
          name: '$ref',
          type: 'reference',
          referenceTypes: ['Group'],
          mutability: 'readOnly',
          description: 'The URI of the group.',
        },
        { name: 'display', mutability: 'readOnly', description: 'The name of the group.' },
        {
          name: 'type',
          mutability: 'readOnly',
          // Nested groups are not resolved, so `indirect` never occurs.
          canonicalValues: ['direct'],
          description: 'The kind of membership.',
        },
      ],
    },
    multiValued({ name: 'entitlements', description: 'The entitlements of the user.', maxValues: 100 }),
    multiValued({ name: 'roles', description: "The user's roles.", maxValues: 100 }),
    multiValued(
      { name: 'x509Certificates', description: 'Certificates in DER format, encoded in base64.' },
      { type: 'binary' },
    ),
  ],
})

/** RFC 7643 §4.3: urn:ietf:params:scim:schemas:extension:enterprise:2.0:User. */
export const enterpriseUserSchema = defineSchema({
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    { name: 'employeeNumber', description: 'The number or code by which the organization identifies the user.' },
    { name: 'costCenter', characters: 'name', description: 'The name of the cost center.' },
    { name: 'organization', characters: 'name', description: 'The name of the organization.' },
    { name: 'division', characters: 'name', description: 'The name of the division.' },
    { name: 'department', characters: 'name', description: 'The name of the department.' },
    {
      name: 'manager',
      type: 'complex',
      description: "The user's manager.",
      subAttributes: [
        // RFC 7643 §8.7.1 with erratum 8472: an id, so case-exact.
        { name: 'value', caseExact: true, description: "The id of the manager's User resource." },
        {
          name: '$ref',
          type: 'reference',
          referenceTypes: ['User'],
          isComputed: true,
          description: "The URI of the manager's User resource.",
        },
        { name: 'displayName', mutability: 'readOnly', description: 'The name of the manager.' },
      ],
    },
  ],
})

/** Users with the enterprise extension (RFC 7643 §4.1, §4.3). A host with its own extensions defines its own type. */
export const userResourceType = defineResourceType({
  name: 'User',
  endpoint: '/Users',
  schema: userSchema,
  extensions: [enterpriseUserSchema],
})

/**
 * Creates a multi-valued attribute with the sub-attributes of RFC 7643 §2.4: `value`, `display`, `type`, `primary`.
 * @param value options of the `value` sub-attribute.
 * @param canonicalValues the canonical values of the `type` sub-attribute.
 */
function multiValued(
  attribute: Pick<AttributeOptions, 'name' | 'description' | 'maxValues'>,
  value: Partial<AttributeOptions> = {},
  canonicalValues: readonly string[] = [],
): AttributeOptions {
  return {
    ...attribute,
    type: 'complex',
    multiValued: true,
    subAttributes: [
      { name: 'value', description: 'The value.', ...value },
      { name: 'display', description: 'The value, for display.' },
      { name: 'type', description: 'The kind of value.', canonicalValues },
      {
        name: 'primary',
        type: 'boolean',
        description: 'Whether this is the preferred value. At most one value can be primary.',
      },
    ],
  }
}
