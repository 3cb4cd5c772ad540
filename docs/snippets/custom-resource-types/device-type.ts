import { defineResourceType, defineSchema } from '@mintmark/scim'

/** Devices that your customers assign to their users. */
export const deviceType = defineResourceType({
  name: 'Device',
  endpoint: '/Devices',
  schema: defineSchema({
    id: 'urn:example:params:scim:schemas:core:2.0:Device',
    name: 'Device',
    description: 'A device that a user works with.',
    attributes: [
      { name: 'displayName', required: true },
      { name: 'serialNumber', uniqueness: 'server' },
      {
        name: 'owner',
        type: 'complex',
        subAttributes: [
          { name: 'value', caseExact: true },
          { name: '$ref', type: 'reference', referenceTypes: ['User'], mutability: 'readOnly' },
        ],
      },
    ],
  }),
})
