/** A user, as the pages show one. */
export interface User {
  /** The `sub` of the tokens. It never changes and is never used for another user. */
  readonly subject: string
  readonly username: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
}

/** What signing in needs of your users. */
export interface SignInUsers {
  find(subject: string): Promise<User | undefined>
  /** Finds a user by what is entered on the sign-in page. */
  findByName(name: string): Promise<User | undefined>
  /**
   * Finds a user by name and checks the password. Returns undefined if the user does not exist or the password is
   * wrong.
   */
  verify(attempt: { readonly username: string; readonly password: string }): Promise<User | undefined>
}

/** The claims of a user, with the names of OpenID Connect Core §5.1. */
export const claimsOf = ({ givenName, familyName, username, email }: User) => ({
  name: `${givenName} ${familyName}`,
  given_name: givenName,
  family_name: familyName,
  preferred_username: username,
  email,
  email_verified: true,
})
