import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { customFieldsClaim, isReservedClaim, type CustomFields } from '../custom-fields/custom-field.ts'
import { fieldsOf, readFieldValues, type FieldChanges } from '../custom-fields/field-values.ts'
import { AdminError } from '../error/admin-error.ts'
import { isStorable } from '../text.ts'

/** A change of a user's claims and custom fields. Members that are left out stay as they are; null removes one. */
export interface UserChange {
  readonly claims?: JsonObject | undefined
  readonly customFields?: FieldChanges | undefined
}

/**
 * Returns the claims of a user after a change, custom fields included.
 * @throws AdminError `claim_invalid` | `claim_reserved` | `claims_too_large` | `custom_field_unknown` |
 * `custom_field_invalid`.
 */
export async function changedClaims(
  before: JsonObject,
  { claims = {}, customFields = {} }: UserChange,
  fields: CustomFields,
): Promise<JsonObject> {
  const values = await readFieldValues(customFields, fields)
  const mapped = new Set([...fields.values()].map(({ claim }) => claim))
  const changed = new Map<string, JsonValue>(Object.entries(before))
  for (const [name, value] of Object.entries(claims)) {
    // RFC 7519 §4: the protocol or a custom field sets this claim.
    if (isReservedClaim(name) || mapped.has(name)) throw new AdminError('claim_reserved', { pointer: '/claims' })
    if (!isClaimName(name)) throw new AdminError('claim_invalid', { pointer: '/claims' })
    setOrDelete(changed, name, value ?? undefined)
  }

  const own = new Map<string, JsonValue>(Object.entries(fieldsOf(before, customFieldsClaim)))
  for (const [{ name, claim }, value] of values) {
    setOrDelete(own, name, value)
    if (claim !== undefined) setOrDelete(changed, claim, value)
  }
  setOrDelete(changed, customFieldsClaim, own.size === 0 ? undefined : Object.fromEntries(own))
  return requireStorable(Object.fromEntries(changed))
}

function setOrDelete(members: Map<string, JsonValue>, name: string, value: JsonValue | undefined): void {
  if (value === undefined) members.delete(name)
  else members.set(name, value)
}

/** Names that other programs can safely use as members of ordinary objects. */
const isClaimName = (name: string): boolean => /^[\x21-\x7E]{1,128}$/.test(name) && !(name in Object.prototype)

function requireStorable(claims: JsonObject): JsonObject {
  // RFC 9110 §15.5.1: tokens and responses contain the claims, so their size is limited.
  if (isDeeper(claims, 8) || JSON.stringify(claims).length > 32_768)
    throw new AdminError('claims_too_large', { pointer: '/claims' })
  // RFC 9110 §15.5.1: not every store can read these characters back.
  if (!isStorable(claims)) throw new AdminError('claim_invalid', { pointer: '/claims' })
  return claims
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as JsonObject).some((member) => isDeeper(member, levels - 1))
}
