import { defineAttribute } from './define-attribute.ts'

/** What every resource begins with (RFC 7643 §3, §3.1). Not listed in `/Schemas`. */
export const leadingAttributes = Object.freeze([
  defineAttribute({
    name: 'schemas',
    type: 'reference',
    multiValued: true,
    required: true,
    // Computed from what a resource holds (RFC 7643 §3), never written by hand.
    mutability: 'readOnly',
    returned: 'always',
    referenceTypes: ['uri'],
    // URNs are compared without case (RFC 7644 §3.10).
    caseExact: false,
  }),
  defineAttribute({
    name: 'id',
    required: true,
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'global',
  }),
  defineAttribute({ name: 'externalId', caseExact: true }),
])

/** What every resource ends with (RFC 7643 §3.1). */
export const trailingAttributes = Object.freeze([
  defineAttribute({
    name: 'meta',
    type: 'complex',
    mutability: 'readOnly',
    subAttributes: [
      { name: 'resourceType', caseExact: true, mutability: 'readOnly' },
      { name: 'created', type: 'dateTime', mutability: 'readOnly' },
      { name: 'lastModified', type: 'dateTime', mutability: 'readOnly' },
      { name: 'location', type: 'reference', mutability: 'readOnly', referenceTypes: ['uri'] },
      { name: 'version', caseExact: true, mutability: 'readOnly' },
    ],
  }),
])
