import type { DurationSeconds } from '@mintmark/storage-interface'

import { json, noStore, type ServerResponse } from '../http/index.ts'

/** What a token request is answered with. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly expiresIn: DurationSeconds
  readonly idToken: string | undefined
  readonly refreshToken: string | undefined
  readonly scopes: readonly string[]
}

/** The successful answer of the token endpoint (RFC 6749 §5.1, OIDC Core §3.1.3.3). JSON leaves absent members out. */
export const tokenResponse = (tokens: IssuedTokens): ServerResponse =>
  json(
    200,
    {
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: tokens.expiresIn,
      refresh_token: tokens.refreshToken,
      id_token: tokens.idToken,
      scope: tokens.scopes.length > 0 ? tokens.scopes.join(' ') : undefined,
    },
    noStore,
  )
