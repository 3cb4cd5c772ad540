/** Who the host's session says is there, and how they signed in. */
export interface SignedIn {
  /** The account's identifier in storage; the `sub` of its tokens. */
  readonly subject: string
  /** When they last proved who they are, in seconds since the epoch. A time in the future is an error. */
  readonly authTime: number
  /** How, by the names of RFC 8176, such as `['pwd']`. */
  readonly amr?: readonly string[] | undefined
  /** The authentication context class that was satisfied (OIDC Core §2). */
  readonly acr?: string | undefined
  /** A public name of the session, for the `sid` claim; never the secret in its cookie. */
  readonly sessionId?: string | undefined
}
