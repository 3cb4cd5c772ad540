/** The claim that holds the custom fields of an account. */
export const customFieldsClaim = 'custom_fields'

/**
 * Whether a claim is made by the protocol (RFC 7519 §4.1, OIDC Core §2, RFC 9068 §2.2) or by custom fields: nobody
 * writes it.
 */
export const isReservedClaim = (name: string): boolean => reserved.has(name)

const reserved: ReadonlySet<string> = new Set(
  [
    [customFieldsClaim],
    ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
    ['auth_time', 'nonce', 'acr', 'amr', 'azp', 'at_hash', 'c_hash', 's_hash', 'sid'],
    ['client_id', 'scope', 'cnf', 'events', 'act', 'may_act'],
  ].flat(),
)
