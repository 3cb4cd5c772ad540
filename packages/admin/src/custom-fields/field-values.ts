import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import type { CustomField, CustomFields } from './custom-field.ts'

/** Values of custom fields by name. Null removes a value. */
export type FieldChanges = Readonly<Record<string, unknown>>

/**
 * Validates values of custom fields, and returns them as their schemas convert them. Undefined removes a value.
 * @throws AdminError `custom_field_unknown` | `custom_field_invalid`.
 */
export async function readFieldValues(
  changes: FieldChanges,
  fields: CustomFields,
): Promise<ReadonlyMap<CustomField, JsonValue | undefined>> {
  const values = new Map<CustomField, JsonValue | undefined>()
  for (const [name, value] of Object.entries(changes)) {
    const field = fields.get(name)
    // RFC 9110 §15.5.1: nothing reads a field that is not declared.
    if (field === undefined) throw new AdminError('custom_field_unknown', { pointer: '/custom_fields' })
    values.set(field, value === null || value === undefined ? undefined : await readValue(field, value))
  }
  return values
}

async function readValue({ name, schema }: CustomField, given: unknown): Promise<JsonValue> {
  const result = await schema['~standard'].validate(given)
  const value = result.issues === undefined ? toJson(result.value) : undefined
  // RFC 9110 §15.5.1.
  if (value === undefined) throw new AdminError('custom_field_invalid', { pointer: `/custom_fields/${name}` })
  return value
}

/** Undefined for a value that JSON cannot represent, or represents as null. */
function toJson(value: unknown): JsonValue | undefined {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined || text === 'null' ? undefined : (JSON.parse(text) as JsonValue)
}

/** The custom fields in the claims of a user. */
export function fieldsOf(claims: JsonObject, claim: string): JsonObject {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
