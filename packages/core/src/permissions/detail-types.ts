import { aBoolean, aFunction, checkOptions, type OptionChecks, required } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/**
 * A type of authorization details that the host defines (RFC 9396 §2), such as a payment. Create it with
 * `defineDetailType`.
 */
export interface AuthorizationDetailType<Detail extends JsonObject = JsonObject> {
  /**
   * Checks a requested entry, and returns it in the form that tokens contain, with the same `type`. It must throw if
   * the entry has unknown members (RFC 9396 §5). If it throws, the request fails with `invalid_authorization_details`;
   * a `StorageUnavailableError` is reported as an outage instead.
   * @param value JSON of at most 8 KiB, from anybody.
   */
  parse(value: JsonObject, context: { readonly clientId: string }): Detail | Promise<Detail>
  /**
   * Returns what the consent page says about the entry, as plain text. Users must see each entry that they consent to.
   */
  describe(
    detail: Detail,
    context: { readonly uiLocales: readonly string[] },
  ): AuthorizationDetailText | Promise<AuthorizationDetailText>
  /**
   * Returns whether a requested entry permits no more than a granted entry (RFC 9396 §6).
   * @defaultValue `true` if the entries are equal. Only the host knows what their members mean.
   */
  within?(requested: Detail, granted: Detail): boolean
  /**
   * Adds what the user chose on the consent page, such as an account (RFC 9396 §7.1).
   * @param choice what the page passed to `complete`. It comes from a form: check it.
   * @defaultValue The entry is granted as it was requested.
   */
  enrich?(detail: Detail, choice: unknown): Detail | Promise<Detail>
  /**
   * Checks an entry of a token request, which may contain what `enrich` added.
   * @defaultValue `parse` checks it.
   */
  parseGranted?(value: JsonObject, context: { readonly clientId: string }): Detail | Promise<Detail>
  /**
   * Returns the APIs that the entry is for: only their tokens contain it. An empty list means all APIs.
   * @defaultValue The member `locations` of the entry (RFC 9396 §2.2).
   */
  locations?(detail: Detail): readonly string[]
  /**
   * Whether consent is remembered, so that users are not asked again about an entry that is `within` a granted entry.
   * @defaultValue `false`. Consent to one payment is not consent to the next.
   */
  readonly remembers?: boolean
}

/** What a consent page shows about an entry. Encode it when you show it. */
export interface AuthorizationDetailText {
  /** A sentence, such as `Pay 12.00 EUR to Example Ltd.` */
  readonly title: string
  /** Further facts. */
  readonly rows?: readonly { readonly label: string; readonly value: string }[]
}

/**
 * Declares a type of authorization details for the option `authorizationDetails`. Its other methods receive what `parse`
 * returns.
 * @example
 * ```ts
 * const payment = defineDetailType({
 *   parse: (value) => paymentSchema.parse(value), // strict: it rejects unknown members
 *   describe: ({ amount, creditor }) => ({ title: `Pay ${amount} EUR to ${creditor}` }),
 * })
 * ```
 * @throws TypeError that names the member and says what to change.
 */
export function defineDetailType<Detail extends JsonObject>(
  type: AuthorizationDetailType<Detail>,
): AuthorizationDetailType {
  checkOptions('defineDetailType', type, detailType)
  return type
}

const detailType: OptionChecks<AuthorizationDetailType> = {
  parse: required(aFunction),
  describe: required(aFunction),
  within: aFunction,
  enrich: aFunction,
  parseGranted: aFunction,
  locations: aFunction,
  remembers: aBoolean,
}

/** The types by name. */
export type DetailTypes = ReadonlyMap<string, AuthorizationDetailType>

/** @throws TypeError when a type is not one, or is remembered although the user has to choose. */
export function detailTypeRegistry(given: Readonly<Record<string, AuthorizationDetailType>> = {}): DetailTypes {
  for (const [name, type] of Object.entries(given)) {
    checkOptions(`Invalid options: authorizationDetails: ${name}`, type, detailType)
    if (type.enrich !== undefined && type.remembers === true)
      throw new TypeError(
        `Invalid options: authorizationDetails: ${name} has enrich, so the user chooses each time and remembers must be false.`,
      )
  }
  return new Map(Object.entries(given))
}

/** Whether remembered consent to the granted entries covers all requested entries. */
export const areAlreadyGranted = (
  requested: readonly JsonObject[],
  granted: readonly JsonObject[],
  types: DetailTypes,
): boolean =>
  requested.every((detail) => isRemembered(detail, types) && granted.some((one) => isWithin(detail, one, types)))

/** Whether consent to the entry is remembered. */
export const isRemembered = (detail: JsonObject, types: DetailTypes): boolean =>
  typeOf(detail, types)?.remembers === true

export const typeOf = (detail: JsonObject, types: DetailTypes): AuthorizationDetailType | undefined =>
  types.get(typeNameOf(detail))

/** Returns the name of the entry's type, or an empty string if it has none. */
export const typeNameOf = ({ type }: JsonObject): string => (typeof type === 'string' ? type : '')

/** Whether a requested entry permits no more than a granted entry. */
export function isWithin(requested: JsonObject, granted: JsonObject, types: DetailTypes): boolean {
  if (requested['type'] !== granted['type']) return false
  const type = typeOf(requested, types)
  return type?.within?.(requested, granted) ?? isEqualJson(requested, granted)
}

/**
 * Returns the APIs that an entry is for; an empty list means all APIs. If the server no longer defines the type, this
 * is the member `locations` of the entry.
 */
export function locationsOf(detail: JsonObject, types: DetailTypes): readonly string[] {
  const type = typeOf(detail, types)
  if (type?.locations !== undefined) return type.locations(detail)
  const { locations } = detail
  return Array.isArray(locations) ? locations.filter((location) => typeof location === 'string') : []
}

/** Whether two JSON values are equal. The order of members does not matter. */
export function isEqualJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  return (
    first.size === second.size &&
    [...first].every(([name, value]) => second.has(name) && isEqualJson(value, second.get(name)))
  )
}
