import { protocolClaims } from '@mintmark/core/internal'
import { aNonEmptyString, oneOf, optionsOf, required } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/refusals.ts'

/** Data that a host keeps about users, in addition to the claims of OpenID Connect. */
export interface CustomField {
  /** A letter, followed by letters, digits, `_` and `-`; at most 64 characters. */
  readonly name: string
  /** Validates a value: a schema of Zod, Valibot, ArkType, or any other Standard Schema. Its output must be JSON. */
  readonly schema: StandardSchema
  /**
   * The claim that the value is copied to. Scopes can then release it, and filters can use it as `claims.{claim}`.
   * @defaultValue None. Only the host can read the field.
   */
  readonly claim?: string
  /**
   * The type of the claim in filters.
   * @defaultValue `string`. Most fields are text.
   */
  readonly type?: 'string' | 'boolean' | 'decimal'
}

/**
 * The interface that Zod, Valibot, ArkType and others share (Standard Schema, version 1): it validates and converts a
 * value.
 */
interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
  }
}

/** Without `issues` the value is valid. */
interface SchemaResult {
  readonly value?: unknown
  readonly issues?: readonly unknown[] | undefined
}

export const customField = optionsOf<CustomField>({
  name: required(aNonEmptyString),
  schema: required((schema) =>
    typeof schema === 'object' && schema !== null && '~standard' in schema
      ? undefined
      : 'must be a schema of Zod, Valibot, ArkType or another Standard Schema',
  ),
  claim: aNonEmptyString,
  type: oneOf('string', 'boolean', 'decimal'),
})

/** Declared fields, by name. */
export type CustomFields = ReadonlyMap<string, CustomField>

/**
 * Checks the declarations of a host, and indexes them by name.
 * @throws TypeError, which names the field.
 */
export function readCustomFields(declared: readonly CustomField[]): CustomFields {
  const fields = new Map<string, CustomField>()
  const claims = new Set<string>()
  for (const field of declared) {
    const { name, claim } = field
    if (!isAttributeName(name)) throw new TypeError(`${name} is not a valid name for a custom field.`)
    if (fields.has(name)) throw new TypeError(`The custom field ${name} is declared twice.`)
    if (claim !== undefined && (!isAttributeName(claim) || isReservedClaim(claim) || claims.has(claim))) {
      throw new TypeError(
        `The custom field ${name} cannot be the claim ${claim}: the name is invalid, reserved, or used by another field.`,
      )
    }
    if (claim !== undefined) claims.add(claim)
    fields.set(name, field)
  }
  return fields
}

/** Whether a name has the syntax of a SCIM attribute, so that filters can contain it (RFC 7643 §2.1). */
const isAttributeName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name) && !(name in Object.prototype)

/** The claim of a user that contains the custom fields. */
export const customFieldsClaim = 'custom_fields'

/** Whether the protocol or this package sets a claim, so that administrators cannot write it. */
export const isReservedClaim = (name: string): boolean => name === customFieldsClaim || protocolClaims.has(name)

/** Values of custom fields by name. Null removes a value. */
export type FieldChanges = Readonly<Record<string, unknown>>

/**
 * Validates values of custom fields, and returns them as converted by their schemas; undefined removes a value.
 * @throws AdminError `custom_field_unknown` | `custom_field_invalid`.
 */
export async function readFieldValues(
  changes: FieldChanges,
  fields: CustomFields,
): Promise<ReadonlyMap<CustomField, JsonValue | undefined>> {
  const values = new Map<CustomField, JsonValue | undefined>()
  for (const [name, value] of Object.entries(changes)) {
    const field = fields.get(name)
    // RFC 9110 §15.5.1: only declared fields exist.
    if (field === undefined) throw refuse('custom_field_unknown', { pointer: '/custom_fields' })
    values.set(field, value === null || value === undefined ? undefined : await readValue(field, value))
  }
  return values
}

async function readValue({ name, schema }: CustomField, input: unknown): Promise<JsonValue> {
  const result = await schema['~standard'].validate(input)
  const value = result.issues === undefined ? toJson(result.value) : undefined
  if (value === undefined) throw refuse('custom_field_invalid', { pointer: `/custom_fields/${name}` })
  return value
}

/** Returns undefined for a value that JSON cannot represent or represents as null. */
function toJson(value: unknown): JsonValue | undefined {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined || text === 'null' ? undefined : (JSON.parse(text) as JsonValue)
}

/** Returns the custom fields from the claims of a user. */
export function fieldsOf(claims: JsonObject, claim: string): JsonObject {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
