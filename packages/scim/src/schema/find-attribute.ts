import { refuse } from '../error/scim-error.ts'
import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerances.ts'
import type { ParseContext } from './parse-context.ts'
import type { ResourceType } from './resource-type.ts'
import type { Attribute, Schema } from './schema.ts'
import { enterpriseUserSchema } from './user-schema.ts'
import { nameKey } from '../values/text.ts'

/** The attribute that a name refers to. */
export interface ResolvedAttribute {
  /** The URN of the extension that defines it; undefined for common attributes and those of the core schema. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  readonly subAttribute: Attribute | undefined
}

/**
 * Resolves an attribute name (RFC 7644 §3.10); the URN of the core schema is optional. @returns undefined for an unknown name.
 */
export function findAttribute(name: AttributeName, context: ParseContext): ResolvedAttribute | undefined {
  const owner =
    name.urn === undefined ? findWithoutUrn(nameKey(name.name), context) : findWithUrn(name.urn, name.name, context)
  if (owner === undefined || name.subName === undefined) return owner
  const subAttribute = owner.attribute.subAttributesByName.get(nameKey(name.subName))
  return subAttribute === undefined ? undefined : { ...owner, subAttribute }
}

/** What a name stands for: an attribute, all attributes of a schema, or nothing that a schema of the type defines. */
export type Named =
  | ({ readonly kind: 'attribute' } & ResolvedAttribute)
  | { readonly kind: 'schema'; readonly schema: Schema }
  | { readonly kind: 'unknown'; readonly owner: ResolvedAttribute | undefined }

/**
 * Resolves a name wherever it stands: as a member of a body, as a key of a PATCH value, or in a path. The URN of a
 * schema is looked up first, because its end may not be a valid attribute name.
 */
export function resolveName(text: string, context: ParseContext): Named {
  const schema = findSchema(text, context)
  if (schema !== undefined) return { kind: 'schema', schema }
  const name = parseAttributeName(text)
  return name === undefined ? { kind: 'unknown', owner: undefined } : resolveAttributeName(name, context)
}

/** Resolves a parsed name. For an unknown sub-attribute, the result has the attribute that lacks it. */
export function resolveAttributeName(name: AttributeName, context: ParseContext): Named {
  const found = findAttribute(name, context)
  if (found !== undefined) return { kind: 'attribute', ...found }
  const owner = name.subName === undefined ? undefined : findAttribute({ ...name, subName: undefined }, context)
  return { kind: 'unknown', owner }
}

/** Where a name stands that its schema does not define. */
interface UnknownName {
  readonly name: string
  /** The extension in whose object the name stands. */
  readonly extension: Schema | undefined
}

/**
 * Ignores a member of a body, or a key of a PATCH value, that no schema of the type defines. Each use is an event.
 * @throws ScimError invalidSyntax — reason `attribute_unknown` — with the profile `strict`, and for an attribute of the
 * type that decides on access, in a place where it has no effect: `active` in the object of an extension.
 */
export function ignoreUnknown(unknown: UnknownName, context: ParseContext): void {
  const attribute = misplacedAttribute(unknown, context.resourceType)
  // RFC 7644 §3.12 invalidSyntax: the client means an attribute, and a deactivation would be lost with success.
  if (attribute !== undefined) throw refuse('attribute_unknown', { attribute, suggestion: attribute })
  ignoreUnknownPart(context.tolerances, unknown.extension?.id)
}

/** Ignores a sub-attribute that a complex attribute does not have, in the same way. */
export function ignoreUnknownPart(tolerances: ToleranceCounter, owner: string | undefined): void {
  // RFC 7644 §3.12 invalidSyntax: no schema of this type defines it.
  if (!tolerances.admits('unknown-attributes')) throw refuse('attribute_unknown', { attribute: owner })
}

/** A user keeps or loses access by these. If another attribute is lost, the event of the tolerance is enough. */
const deciding: ReadonlySet<string> = new Set(['active', 'members', 'roles', 'entitlements', 'owners', 'password'])

/**
 * Returns the attribute that decides on access and that a name means in the wrong place: below a URN of the type, in the
 * object of an extension, or with spaces around it.
 */
function misplacedAttribute({ name, extension }: UnknownName, resourceType: ResourceType): string | undefined {
  const { schema, extensionsByUrn } = resourceType
  const key = nameKey(name).trim()
  const urn = [nameKey(schema.id), ...extensionsByUrn.keys()].find(
    (candidate) => key.startsWith(`${candidate}:`) || key.startsWith(`${candidate}.`),
  )
  const [meant = ''] = urn === undefined ? [key] : key.slice(urn.length + 1).split(/[.[]/, 1)
  if (!deciding.has(meant)) return undefined
  const owners = [schema, ...(urn === undefined ? [extension] : extensionsByUrn.values())]
  const owner = owners.find((candidate) => candidate?.attributesByName.has(meant))
  const found = owner?.attributesByName.get(meant)
  if (owner === undefined || found === undefined) return undefined
  return owner === schema ? found.name : `${owner.id}:${found.name}`
}

/**
 * Returns the full name of an attribute, as the schema spells it, such as `emails.value` or
 * `urn:…:enterprise:2.0:User:department`.
 */
export function attributeLabel({ extension, attribute, subAttribute }: ResolvedAttribute): string {
  const prefix = extension === undefined ? '' : `${extension}:`
  return `${prefix}${attribute.name}${subAttribute === undefined ? '' : `.${subAttribute.name}`}`
}

function findWithoutUrn(key: string, { resourceType, tolerances }: ParseContext): ResolvedAttribute | undefined {
  const attribute = resourceType.attributesByName.get(key)
  if (attribute !== undefined) return { extension: undefined, attribute, subAttribute: undefined }

  // Entra refers to manager without its URN.
  const schema = [...resourceType.extensionsByUrn.values()].find(({ attributesByName }) => attributesByName.has(key))
  const found = schema?.attributesByName.get(key)
  if (schema === undefined || found === undefined || !tolerances.admits('extension-attribute-without-urn'))
    return undefined
  return { extension: schema.id, attribute: found, subAttribute: undefined }
}

function findWithUrn(urn: string, name: string, context: ParseContext): ResolvedAttribute | undefined {
  const schema = findSchema(urn, context)
  if (schema === undefined) return undefined
  const ownSchema = schema === context.resourceType.schema
  const attribute = (ownSchema ? context.resourceType : schema).attributesByName.get(nameKey(name))
  return attribute === undefined
    ? undefined
    : { extension: ownSchema ? undefined : schema.id, attribute, subAttribute: undefined }
}

/** Returns the core schema or the extension that has this URN. URNs are case-insensitive (RFC 7644 §3.10). */
export function findSchema(urn: string, context: ParseContext): Schema | undefined {
  const found = declaredSchema(urn, context)
  if (found !== undefined) return found
  const current = currentUrn(urn, context.resourceType)
  return current !== undefined && context.tolerances.admits('legacy-urns')
    ? declaredSchema(current, context)
    : undefined
}

function declaredSchema(urn: string, { resourceType }: ParseContext): Schema | undefined {
  const key = nameKey(urn)
  return key === nameKey(resourceType.schema.id) ? resourceType.schema : resourceType.extensionsByUrn.get(key)
}

/** A parsed but not yet resolved attribute name of a filter, a path or a list of attributes (RFC 7644 §3.10). */
export interface AttributeName {
  /** The URN before the last colon, as written. */
  readonly urn: string | undefined
  readonly name: string
  readonly subName: string | undefined
}

/** Parses `[URN ":"] ATTRNAME ["." ATTRNAME]` (RFC 7644 §3.4.2.2). @returns undefined for anything else. */
export function parseAttributeName(text: string): AttributeName | undefined {
  // A URN contains dots and colons itself; the attribute name follows the last colon.
  const colon = text.lastIndexOf(':')
  const urn = colon === -1 ? undefined : text.slice(0, colon)
  const [name = '', subName, ...rest] = text.slice(colon + 1).split('.')
  if (rest.length > 0 || !attributeName.test(name)) return undefined
  if (subName !== undefined && !attributeName.test(subName)) return undefined
  return urn === undefined || urnCharacters.test(urn) ? Object.freeze({ urn, name, subName }) : undefined
}

/** Prints a name so that `parseAttributeName` parses the same name. */
export const printAttributeName = ({ urn, name, subName }: AttributeName): string =>
  `${urn === undefined ? '' : `${urn}:`}${name}${subName === undefined ? '' : `.${subName}`}`

/** RFC 7643 §2.1, and `$ref`. */
const attributeName = /^[A-Za-z$][A-Za-z0-9$_-]*$/
const urnCharacters = /^urn:[A-Za-z0-9:._-]+$/i

/**
 * Suggests an attribute for an unknown name, for the detail of a refusal: `emails.value` for `email`, `name.givenName`
 * for `givenName`, and the full name of an attribute whose URN is missing or wrong. The suggestion is always a name from
 * a schema, never input.
 */
export function suggestAttribute(name: AttributeName, resourceType: ResourceType): string | undefined {
  const context = { resourceType, tolerances: createToleranceCounter(new Set(['extension-attribute-without-urn'])) }
  const withoutUrn = findAttribute({ ...name, urn: undefined }, context)
  if (withoutUrn !== undefined) return attributeLabel(withoutUrn)

  const key = nameKey(name.name)
  const plural = resourceType.attributesByName.get(`${key}s`)
  if (plural !== undefined) {
    const value = plural.subAttributesByName.get('value')
    // A PATCH adds and removes members; it cannot change the value of one (RFC 7643 §4.2).
    return value === undefined || value.mutability === 'immutable' ? plural.name : `${plural.name}.value`
  }

  const owner = resourceType.schema.attributes.find((attribute) => attribute.subAttributesByName.has(key))
  const sub = owner?.subAttributesByName.get(key)
  return owner === undefined || sub === undefined ? undefined : `${owner.name}.${sub.name}`
}

/** Returns the current URN for a legacy or misspelt URN, and undefined for any other. */
function currentUrn(urn: string, resourceType: ResourceType): string | undefined {
  const key = nameKey(urn)
  if (legacyCore.has(key)) return resourceType.schema.id
  return legacyEnterprise.has(key) ? enterpriseUserSchema.id : undefined
}

/** SCIM 1.1 has one URN for users and groups, which OneLogin's core template sends. */
const legacyCore: ReadonlySet<string> = new Set(['urn:scim:schemas:core:1.0'])

const legacyEnterprise: ReadonlySet<string> = new Set([
  // SCIM 1.1.
  'urn:scim:schemas:extension:enterprise:1.0',
  // An example in Microsoft's documentation, which connectors copied, lacks a colon.
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0user',
])
