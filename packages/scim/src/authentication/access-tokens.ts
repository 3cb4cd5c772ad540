import type { ClientId } from '@mintmark/storage-interface'

/** What an access token of ours allows, as long as it is honoured. */
export interface ActiveAccessToken {
  /** The person, or the client that acts for itself. */
  readonly subject: string
  readonly clientId: ClientId
  readonly scopes: readonly string[]
}

/** Knows the access tokens of an authorization server, which is one of these itself. */
export interface AccessTokens {
  /** @returns undefined for everything that is not honoured now. */
  accessToken(token: string): Promise<ActiveAccessToken | undefined>
}
