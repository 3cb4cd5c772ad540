import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { CustomFields } from '../custom-field/custom-field.ts'
import { fieldsOf, readFieldValues, type FieldChanges } from '../custom-field/read-field-values.ts'
import { customFieldsClaim, isReservedClaim } from '../custom-field/reserved-claims.ts'
import { AdminError } from '../error/admin-error.ts'
import { isStorable } from '../json/storable.ts'

/** What becomes of an account's claims and custom fields: what is left out stays, null takes away. */
export interface UserChange {
  readonly claims?: JsonObject | undefined
  readonly customFields?: FieldChanges | undefined
}

/**
 * The claims that an account has after a change, custom fields among them.
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
    // RFC 7519 §4: a claim that the protocol or a custom field makes is nobody else's to write.
    if (isReservedClaim(name) || mapped.has(name)) throw new AdminError('claim_reserved', { pointer: '/claims' })
    if (!isClaimName(name)) throw new AdminError('claim_invalid', { pointer: '/claims' })
    put(changed, name, value ?? undefined)
  }

  const own = new Map<string, JsonValue>(Object.entries(fieldsOf(before, customFieldsClaim)))
  for (const [{ name, claim }, value] of values) {
    put(own, name, value)
    if (claim !== undefined) put(changed, claim, value)
  }
  put(changed, customFieldsClaim, own.size === 0 ? undefined : Object.fromEntries(own))
  return bounded(Object.fromEntries(changed))
}

function put(members: Map<string, JsonValue>, name: string, value: JsonValue | undefined): void {
  if (value === undefined) members.delete(name)
  else members.set(name, value)
}

/** Names that other programs put into ordinary objects without harm. */
const isClaimName = (name: string): boolean => /^[\x21-\x7E]{1,128}$/.test(name) && !(name in Object.prototype)

function bounded(claims: JsonObject): JsonObject {
  // RFC 9110 §15.5.1: a token and an answer have to hold them.
  if (isDeeper(claims, 8) || JSON.stringify(claims).length > 32_768)
    throw new AdminError('claims_too_large', { pointer: '/claims' })
  // RFC 9110 §15.5.1: not every store reads it back.
  if (!isStorable(claims)) throw new AdminError('claim_invalid', { pointer: '/claims' })
  return claims
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as JsonObject).some((member) => isDeeper(member, levels - 1))
}
