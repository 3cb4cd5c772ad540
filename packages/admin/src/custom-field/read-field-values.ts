import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import type { CustomField, CustomFields } from './custom-field.ts'

/** Values of custom fields by name; null takes one away. */
export type FieldChanges = Readonly<Record<string, unknown>>

/**
 * What is stored of the values that were given: each as its schema makes it. Undefined takes the field away.
 * @throws AdminError `custom_field_unknown` | `custom_field_invalid`.
 */
export async function readFieldValues(
  changes: FieldChanges,
  fields: CustomFields,
): Promise<ReadonlyMap<CustomField, JsonValue | undefined>> {
  const values = new Map<CustomField, JsonValue | undefined>()
  for (const [name, value] of Object.entries(changes)) {
    const field = fields.get(name)
    // RFC 9110 §15.5.1: what nobody declared nobody reads.
    if (field === undefined) throw new AdminError('custom_field_unknown', { pointer: '/custom_fields' })
    values.set(field, value === null || value === undefined ? undefined : await readValue(field, value))
  }
  return values
}

async function readValue({ name, schema }: CustomField, given: unknown): Promise<JsonValue> {
  const result = await schema['~standard'].validate(given)
  const value = result.issues === undefined ? jsonOf(result.value) : undefined
  // RFC 9110 §15.5.1.
  if (value === undefined) throw new AdminError('custom_field_invalid', { pointer: `/custom_fields/${name}` })
  return value
}

/** Undefined for what JSON cannot carry, or carries as nothing. */
function jsonOf(value: unknown): JsonValue | undefined {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined || text === 'null' ? undefined : (JSON.parse(text) as JsonValue)
}

/** The custom fields that an account's claims hold. */
export function fieldsOf(claims: JsonObject, claim: string): JsonObject {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
