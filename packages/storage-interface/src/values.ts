declare const brand: unique symbol

/**
 * A value of `T` that only the module that defines the brand can create. The name of the brand says what was checked, or what the
 * value means. A value may have several brands, each from its own module.
 */
export type Brand<T, Name extends string> = T & { readonly [brand]: { readonly [Each in Name]: true } }

/** A client's identifier, compared byte for byte (RFC 6749 §2.2). */
export type ClientId = Brand<string, 'ClientId'>

/** A user's stable identifier; the `sub` of their tokens. At most 255 ASCII characters, never reassigned (OIDC Core §2). */
export type UserId = Brand<string, 'UserId'>

/** Identifies what a user granted to one client; random. Clients receive it only with grant management (`grant_id`). */
export type GrantId = Brand<string, 'GrantId'>

/** Identifies a token family: everything that was issued from one authorization code; random. */
export type FamilyId = Brand<string, 'FamilyId'>

/** The public identifier of a browser session, as in the `sid` claim; it is not a credential. */
export type SessionId = Brand<string, 'SessionId'>

/** A signing key's `kid` (RFC 7515 §4.1.4). */
export type KeyId = Brand<string, 'KeyId'>

/** An identity provider's identifier, as it appears in its SCIM tenant URL: letters, digits and hyphens. */
export type ProviderId = Brand<string, 'ProviderId'>

/** The SCIM `id` of a group; random, never reused. */
export type GroupId = Brand<string, 'GroupId'>

/** An organization's identifier, chosen by the host. */
export type OrganizationId = Brand<string, 'OrganizationId'>
export type InitialAccessTokenId = Brand<string, 'InitialAccessTokenId'>

/**
 * The SHA-256 of a secret of at least 256 random bits, base64url without padding (43 characters).
 * Stores contain only digests: somebody who reads a table cannot use what it contains as a credential.
 */
export type SecretDigest = Brand<string, 'SecretDigest'>

export const clientId = (value: string): ClientId => value as ClientId
export const userId = (value: string): UserId => value as UserId
export const grantId = (value: string): GrantId => value as GrantId
export const familyId = (value: string): FamilyId => value as FamilyId
export const sessionId = (value: string): SessionId => value as SessionId
export const keyId = (value: string): KeyId => value as KeyId
export const providerId = (value: string): ProviderId => value as ProviderId
export const groupId = (value: string): GroupId => value as GroupId
export const organizationId = (value: string): OrganizationId => value as OrganizationId
export const initialAccessTokenId = (value: string): InitialAccessTokenId => value as InitialAccessTokenId
export const secretDigest = (value: string): SecretDigest => value as SecretDigest

/** A point in time: whole seconds since 1970-01-01T00:00:00Z, like the NumericDate of a JWT (RFC 7519 §2). */
export type EpochSeconds = Brand<number, 'EpochSeconds'>

/** A length of time in whole seconds. */
export type DurationSeconds = Brand<number, 'DurationSeconds'>

/** Converts a number of seconds since the epoch to a time. Drops the fraction. */
export const epochSeconds = (value: number): EpochSeconds => Math.trunc(value) as EpochSeconds

/** Converts a number of seconds to a duration. Drops the fraction. */
export const seconds = (value: number): DurationSeconds => Math.trunc(value) as DurationSeconds

/** Returns the time that is `duration` after `time`. */
export const after = (time: EpochSeconds, duration: DurationSeconds): EpochSeconds => epochSeconds(time + duration)

/** A value that JSON can represent. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Its keys come from data: read them with `Object.hasOwn`, never through a prototype. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

const { Buffer: nodeBuffer } = globalThis as { readonly Buffer?: { byteLength(text: string): number } }

/** Returns the length of a string in UTF-8, in bytes. Node.js counts them without encoding the string. */
export const utf8Length: (text: string) => number =
  nodeBuffer === undefined ? (text) => new TextEncoder().encode(text).length : (text) => nodeBuffer.byteLength(text)

/** A JSON object as text. Stores keep every character of it and do not parse it. */
export type JsonText = Brand<string, 'JsonText'>

/** Converts a JSON object to text, without white space. */
export const jsonText = (value: JsonObject): JsonText => JSON.stringify(value) as JsonText

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** Returns an own property of an object, never an inherited one; `undefined` for a value that is not an object. */
export const memberOf = (owner: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined
