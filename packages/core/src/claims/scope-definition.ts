/** A scope value: how it is put to people, and which claims about them it opens. */
interface ScopeDefinition {
  /** A sentence for the consent page. */
  readonly description: string
  /** Claim names that userinfo answers with, where the account has them. */
  readonly claims: readonly string[]
  /** Those of them that the ID token carries too. */
  readonly idTokenClaims: readonly string[]
  /** Whether it concerns the person and no API. */
  readonly isIdentity: boolean
}

/** Scope values by name. */
export type ScopeRegistry = ReadonlyMap<string, ScopeDefinition>

const identityScope = (
  description: string,
  claims: readonly string[],
  idTokenClaims: readonly string[] = [],
): ScopeDefinition => ({ description, claims, idTokenClaims, isIdentity: true })

/** The scope values of OpenID Connect (OIDC Core §5.4, §11). The ID token stays small: userinfo has the rest. */
export const standardScopes: ScopeRegistry = new Map([
  ['openid', identityScope('Know who you are', [])],
  [
    'profile',
    identityScope(
      'See your name and profile',
      [
        'name',
        'family_name',
        'given_name',
        'middle_name',
        'nickname',
        'preferred_username',
        'profile',
        'picture',
        'website',
        'gender',
        'birthdate',
        'zoneinfo',
        'locale',
        'updated_at',
      ],
      ['name', 'given_name', 'family_name'],
    ),
  ],
  ['email', identityScope('See your e-mail address', ['email', 'email_verified'], ['email', 'email_verified'])],
  ['address', identityScope('See your postal address', ['address'])],
  ['phone', identityScope('See your phone number', ['phone_number', 'phone_number_verified'])],
  ['offline_access', identityScope('Stay connected while you are away', [])],
])
