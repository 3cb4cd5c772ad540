declare const brand: unique symbol

/**
 * A value of `T` that only the module that defines the brand can make: the name states the check or the meaning. A
 * value may
 * have several brands, each from its own module. ⏎
 */
export type Brand<T, Name extends string> = T & { readonly [brand]: { readonly [Each in Name]: true } }

/** A client's identifier, compared byte for byte (RFC 6749 §2.2). */
export type ClientId = Brand<string, 'ClientId'>

/** A user's stable identifier; the `sub` of their tokens. At most 255 ASCII characters, never reassigned (OIDC Core §2). */
export type UserId = Brand<string, 'UserId'>

/** Identifies what a user granted to one client; random, never shown to a client. */
export type GrantId = Brand<string, 'GrantId'>

/** Everything that was issued from one authorization code; random. */
export type FamilyId = Brand<string, 'FamilyId'>

/** The public identifier of a browser session, as in the `sid` claim; it is not a credential. */
export type SessionId = Brand<string, 'SessionId'>

/** A signing key's `kid` (RFC 7515 §4.1.4). */
export type KeyId = Brand<string, 'KeyId'>

/** An identity provider's identifier, as its SCIM Tenant URL has it: letters, digits and hyphens. */
export type ProviderId = Brand<string, 'ProviderId'>

/** The SCIM `id` of a group; random, never used again. */
export type GroupId = Brand<string, 'GroupId'>

/** An organization's identifier, chosen by the host. */
export type OrganizationId = Brand<string, 'OrganizationId'>

/**
 * The SHA-256 of a secret of at least 256 random bits, base64url without padding (43 characters).
 * Stores contain digests only: a reader of a table cannot present what is in it.
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
export const secretDigest = (value: string): SecretDigest => value as SecretDigest
