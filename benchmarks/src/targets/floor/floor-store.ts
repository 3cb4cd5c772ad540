import type { Later } from '../later.ts'

/** The storage of the floors. It has the operations of Mintmark's storage without any checks around them. */
export interface FloorStore {
  /** Returns the digest of the client's secret. */
  clientSecret(clientId: string): Later<string | undefined>
  session(digest: string): Later<FloorSession | undefined>
  user(userId: string): Later<FloorUser | undefined>
  consent(userId: string, clientId: string): Later<FloorGrant | undefined>
  /** Adds the client to those that are signed out with the session. Absent in the minimum. */
  readonly join?: (session: FloorSession, clientId: string) => Later<void>
  insertCode(digest: string, code: FloorCode): Later<void>
  /** Consumes the code. */
  consumeCode(digest: string): Later<FloorCode | undefined>
  /** Finds a grant with its client and user. */
  grantStatus(grantId: string): Later<FloorStatus | undefined>
  insertFamily(family: FloorFamily): Later<void>
  /** Finds a family with its grant, client and user. */
  familyByHandle(handleDigest: string): Later<FloorStatus | undefined>
  familyById(familyId: string): Later<FloorStatus | undefined>
  /** Finds the family of an access token, unless the token itself was revoked. */
  familyOfToken(familyId: string, tokenId: string): Later<FloorStatus | undefined>
  /** Replaces the current refresh token with its successor. */
  rotate(handleDigest: string, currentDigest: string, successorDigest: string): Later<boolean>
}

export interface FloorSession {
  readonly sessionId: string
  readonly userId: string
}

export interface FloorUser {
  readonly userId: string
  readonly active: boolean
  readonly claims: { readonly email: string }
}

interface FloorGrant {
  readonly grantId: string
  readonly userId: string
  readonly scope: string
}

export interface FloorCode {
  readonly grantId: string
  readonly familyId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly nonce: string
  readonly expiresAt: number
}

export interface FloorFamily {
  readonly familyId: string
  readonly grantId: string
  readonly handleDigest: string
  readonly currentDigest: string
  readonly expiresAt: number
}

export interface FloorStatus {
  readonly grant: FloorGrant
  readonly user: FloorUser
}

/** The initial data of a floor. */
export interface FloorFixture {
  readonly clientId: string
  readonly secretDigest: string
  readonly sessionDigest: string
  readonly user: FloorUser
  readonly grant: FloorGrant
}
