import { scim } from './scim.ts'

/** Returns the user for a login at Acme that your SAML or OpenID Connect library has verified. */
export async function userOf(login: { readonly sub: string; readonly email: string }): Promise<string | undefined> {
  const found = await scim.signInFromProvider({
    providerId: 'acme',
    externalId: login.sub,
    profile: { userName: login.email, emails: [{ value: login.email, primary: true }] },
  })
  return found.outcome === 'signed_in' ? found.userId : undefined
}
