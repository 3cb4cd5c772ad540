import { isReservedClaim } from './reserved-claims.ts'
import type { StandardSchema } from './standard-schema.ts'

/** What a host keeps about accounts beside the claims of OpenID Connect. */
export interface CustomField {
  /** A letter, and then letters, digits, `_` and `-`; at most 64 characters. */
  readonly name: string
  /**
   * What a value of it must be: of Zod, Valibot, ArkType, or any other Standard Schema. What it makes of a value must be
   * JSON.
   */
  readonly schema: StandardSchema
  /**
   * The claim that it is also, for scopes to open and for filters: `claims.{claim}`.
   * @defaultValue None. The field is then the host's alone.
   */
  readonly claim?: string
  /**
   * What filters compare the claim as.
   * @defaultValue `string`. Most fields are texts.
   */
  readonly type?: 'string' | 'boolean' | 'decimal'
}

/** Declared fields, by name. */
export type CustomFields = ReadonlyMap<string, CustomField>

/** @throws TypeError that names the field: a mistake in a program, not in a request. */
export function customFields(declared: readonly CustomField[]): CustomFields {
  const fields = new Map<string, CustomField>()
  const claims = new Set<string>()
  for (const field of declared) {
    const { name, claim } = field
    if (!isAttributeName(name)) throw new TypeError(`${name} is not a name for a custom field.`)
    if (fields.has(name)) throw new TypeError(`The custom field ${name} is declared twice.`)
    if (claim !== undefined && (!isAttributeName(claim) || isReservedClaim(claim) || claims.has(claim))) {
      throw new TypeError(`The custom field ${name} cannot be the claim ${claim}: it is reserved, or another field's.`)
    }
    if (claim !== undefined) claims.add(claim)
    fields.set(name, field)
  }
  return fields
}

/** SCIM's form of a name, so that filters can say it too (RFC 7643 §2.1). */
const isAttributeName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name) && !(name in Object.prototype)
