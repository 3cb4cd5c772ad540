import type { ParseContext } from '../tolerance/parse-context.ts'
import type { AttributeName } from './attribute-name.ts'
import type { Attribute } from './attribute.ts'
import { findSchema } from './find-schema.ts'
import { nameKey } from './name-key.ts'

/** An attribute that a name stands for. */
export interface FoundAttribute {
  /** The URN of the extension that it belongs to; undefined for common attributes and those of the type's own schema. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  readonly subAttribute: Attribute | undefined
}

/** Looks a name up (RFC 7644 §3.10): the URN of the type's own schema may be left out. @returns undefined when there is none. */
export function findAttribute(name: AttributeName, reading: ParseContext): FoundAttribute | undefined {
  const owner =
    name.urn === undefined ? findWithoutUrn(nameKey(name.name), reading) : findWithUrn(name.urn, name.name, reading)
  if (owner === undefined || name.subName === undefined) return owner
  const subAttribute = owner.attribute.subAttributesByName.get(nameKey(name.subName))
  return subAttribute === undefined ? undefined : { ...owner, subAttribute }
}

/** `department` for `urn:…:enterprise:2.0:User:department`, as our schema spells it. */
export function attributeLabel({ extension, attribute, subAttribute }: FoundAttribute): string {
  const prefix = extension === undefined ? '' : `${extension}:`
  return `${prefix}${attribute.name}${subAttribute === undefined ? '' : `.${subAttribute.name}`}`
}

function findWithoutUrn(key: string, { resourceType, tolerances: tally }: ParseContext): FoundAttribute | undefined {
  const attribute = resourceType.attributesByName.get(key)
  if (attribute !== undefined) return { extension: undefined, attribute, subAttribute: undefined }

  // Entra names the manager without its URN.
  const schema = [...resourceType.extensionsByUrn.values()].find(({ attributesByName }) => attributesByName.has(key))
  const found = schema?.attributesByName.get(key)
  if (schema === undefined || found === undefined || !tally.admits('extension-attribute-without-urn')) return undefined
  return { extension: schema.id, attribute: found, subAttribute: undefined }
}

function findWithUrn(urn: string, name: string, reading: ParseContext): FoundAttribute | undefined {
  const schema = findSchema(urn, reading)
  if (schema === undefined) return undefined
  const ownSchema = schema === reading.resourceType.schema
  const attribute = (ownSchema ? reading.resourceType : schema).attributesByName.get(nameKey(name))
  return attribute === undefined
    ? undefined
    : { extension: ownSchema ? undefined : schema.id, attribute, subAttribute: undefined }
}
