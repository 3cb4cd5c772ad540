import type { JsonObject } from '@mintmark/storage-interface'

import type { Attribute, ResourceType } from '@mintmark/scim'

/** The JSON Schema of a resource type, from the schema that validates its resources. */
export function schemaOfResource({ schema, extensions, attributes, description }: ResourceType): JsonObject {
  const urns = [schema.id, ...extensions.map((extension) => extension.schema.id)]
  const own = attributes.filter(({ name }) => name !== 'schemas')
  return {
    type: 'object',
    description,
    properties: {
      schemas: { type: 'array', items: { type: 'string', enum: urns } },
      ...propertiesOf(own),
      ...Object.fromEntries(
        extensions.map((extension) => [
          extension.schema.id,
          objectOf(extension.schema.attributes, extension.schema.description),
        ]),
      ),
    },
    required: ['schemas', ...requiredOf(own)],
  }
}

const propertiesOf = (attributes: readonly Attribute[]): JsonObject =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, schemaOf(attribute)]))

const requiredOf = (attributes: readonly Attribute[]): readonly string[] =>
  attributes.filter(({ required, mutability }) => required && mutability !== 'readOnly').map(({ name }) => name)

function objectOf(attributes: readonly Attribute[], description: string): JsonObject {
  const required = requiredOf(attributes)
  return { type: 'object', description, properties: propertiesOf(attributes), ...(required.length > 0 && { required }) }
}

function schemaOf(attribute: Attribute): JsonObject {
  const { description, multiValued, mutability, maxValues } = attribute
  const access = {
    ...(mutability === 'readOnly' && { readOnly: true }),
    ...(mutability === 'writeOnly' && { writeOnly: true }),
  }
  if (!multiValued) return { ...valueOf(attribute), ...access }
  return {
    type: 'array',
    description,
    items: valueOf({ ...attribute, description: '' }),
    maxItems: maxValues,
    ...access,
  }
}

function valueOf({ type, description, subAttributes, maxLength, canonicalValues }: Attribute): JsonObject {
  const described = {
    ...(description !== '' && { description }),
    ...(canonicalValues.length > 0 && { examples: [...canonicalValues] }),
  }
  if (type === 'complex') return objectOf(subAttributes, description)
  return { ...simpleTypes[type], ...(isText(type) && { maxLength }), ...described }
}

type SimpleType = Exclude<Attribute['type'], 'complex'>

const isText = (type: SimpleType): boolean => simpleTypes[type]['type'] === 'string' && type !== 'dateTime'

const simpleTypes: Readonly<Record<SimpleType, JsonObject>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  decimal: { type: 'number' },
  integer: { type: 'integer' },
  dateTime: { type: 'string', format: 'date-time' },
  binary: { type: 'string', contentEncoding: 'base64' },
  reference: { type: 'string', format: 'uri-reference' },
}
