import { defineSchema } from './define-schema.ts'

/** RFC 7643 §4.3: urn:ietf:params:scim:schemas:extension:enterprise:2.0:User. */
export const enterpriseUserSchema = defineSchema({
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    { name: 'employeeNumber', description: 'A number or code that the organization gives to the person.' },
    { name: 'costCenter', description: 'The cost center.' },
    { name: 'organization', description: 'The organization.' },
    { name: 'division', description: 'The division.' },
    { name: 'department', description: 'The department.' },
    {
      name: 'manager',
      type: 'complex',
      description: "The person's manager.",
      subAttributes: [
        // RFC 7643 §8.7.1 with erratum 8472: an id, so case-exact.
        { name: 'value', caseExact: true, description: "The id of the manager's User resource." },
        // Made from `value` in every answer: a URI from outside is not kept.
        {
          name: '$ref',
          type: 'reference',
          referenceTypes: ['User'],
          mutability: 'readOnly',
          description: "The URI of the manager's User resource.",
        },
        { name: 'displayName', mutability: 'readOnly', description: 'The name of the manager.' },
      ],
    },
  ],
})
