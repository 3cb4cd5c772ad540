import type { JWTPayload } from 'jose'

import type { Later } from '../later.ts'

/** The tokens of a floor, and what they cost: the part of its work that is neither HTTP nor storage. */
export interface FloorWork {
  /** The headers of each response, besides those that every floor sends. */
  readonly headers: Readonly<Record<string, string>>
  /** Signs a JWT. */
  sign(type: string, claims: FloorClaims): Later<string>
  /** Verifies an access token, and returns its claims. */
  verify(token: string): Later<JWTPayload>
  /** Returns the claims with which an API recognizes in the revocation feed that its token was revoked. */
  dependenciesOf(token: TokenSubject): FloorClaims
  createRefreshToken(): RefreshToken
  /** Returns the digests of a presented refresh token, and the token that replaces it. */
  replaceRefreshToken(presented: string): Replacement
}

export type FloorClaims = Readonly<Record<string, unknown>>

/** Whose access token it is. */
export interface TokenSubject {
  readonly clientId: string
  /** `undefined` for a token of the client itself. */
  readonly user: { readonly userId: string; readonly grantId: string; readonly familyId: string } | undefined
}

/** A refresh token, and the digests under which it is stored. */
export interface RefreshToken {
  readonly token: string
  readonly handleDigest: string
  readonly currentDigest: string
}

interface Replacement {
  readonly handleDigest: string
  readonly presentedDigest: string
  readonly successor: Pick<RefreshToken, 'token' | 'currentDigest'>
}

/** What a floor signs with. */
export interface FloorKeys {
  readonly issuer: string
  readonly algorithm: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** The claims of every JWT. */
export const commonClaims = (issuer: string): FloorClaims => {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, iat: now, exp: now + 86_400 }
}
