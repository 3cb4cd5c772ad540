import { epochSeconds, sessionId, type AuthenticationRecord } from '@mintmark/storage-interface'

/** An `AuthenticationRecord` as it is in a JSON column, where what is absent is left out. */
export interface AuthenticationJson {
  readonly authTime: number
  readonly acr?: string
  readonly amr: readonly string[]
  readonly sessionId?: string
}

export const readAuthentication = (stored: AuthenticationJson): AuthenticationRecord => ({
  authTime: epochSeconds(stored.authTime),
  acr: stored.acr,
  amr: stored.amr,
  sessionId: stored.sessionId === undefined ? undefined : sessionId(stored.sessionId),
})
