import { defineResourceType } from './resource-type.ts'
import { defineSchema } from './schema.ts'

/** RFC 7643 §4.2: urn:ietf:params:scim:schemas:core:2.0:Group. */
export const groupSchema = defineSchema({
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'Group',
  attributes: [
    // RFC 7643 §4.2 with erratum 5368: required.
    { name: 'displayName', required: true, characters: 'name', description: 'The name of the group.' },
    {
      name: 'members',
      type: 'complex',
      multiValued: true,
      // The limit is `limits.groupMembers` of the server, which counts the stored members as well.
      maxValues: Number.MAX_SAFE_INTEGER,
      description: 'The members of the group.',
      // RFC 7643 §4.2: a member is added or removed, never edited.
      subAttributes: [
        { name: 'value', caseExact: true, mutability: 'immutable', description: 'The id of the member.' },
        {
          name: '$ref',
          type: 'reference',
          referenceTypes: ['User', 'Group'],
          mutability: 'immutable',
          isComputed: true,
          description: 'The URI of the member.',
        },
        {
          name: 'type',
          mutability: 'immutable',
          canonicalValues: ['User', 'Group'],
          description:
            'Whether the member is a user or a group. The server determines the type from the id and ignores a type that is sent.',
        },
      ],
    },
  ],
})

/** Groups (RFC 7643 §4.2). */
export const groupResourceType = defineResourceType({ name: 'Group', endpoint: '/Groups', schema: groupSchema })
