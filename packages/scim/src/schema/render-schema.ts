import type { JsonObject } from '@mintmark/storage-interface'

import type { Attribute } from './attribute.ts'
import type { ResourceType } from './define-resource-type.ts'
import type { Schema } from './define-schema.ts'

/** A schema as `/Schemas` shows it (RFC 7643 §7), without `meta`. No nulls: Entra reads it. */
export const renderSchema = ({ id, name, description, attributes }: Schema): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes: attributes.map(renderAttribute),
})

/** A resource type as `/ResourceTypes` shows it (RFC 7643 §6), without `meta`. Its id is its name: CyberArk asks for it so. */
export const renderResourceType = ({ name, endpoint, description, schema, extensions }: ResourceType): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  schemaExtensions: extensions.map((extension) => ({ schema: extension.schema.id, required: extension.required })),
})

function renderAttribute(attribute: Attribute): JsonObject {
  const { name, type, multiValued, description, required, caseExact, mutability, returned, uniqueness } = attribute
  const { canonicalValues, referenceTypes, subAttributes } = attribute
  return {
    name,
    type,
    multiValued,
    description,
    required,
    // RFC 7643 §2.2 with erratum 6004: case and uniqueness are of simple values.
    ...(type === 'complex' ? {} : { caseExact, uniqueness }),
    mutability,
    returned,
    ...(canonicalValues.length === 0 ? {} : { canonicalValues }),
    ...(referenceTypes.length === 0 ? {} : { referenceTypes }),
    ...(subAttributes.length === 0 ? {} : { subAttributes: subAttributes.map(renderAttribute) }),
  }
}
