import { scim } from './scim.ts'

/** Your SAML or OpenID Connect library has verified a login at Acme: who is it here? */
export async function accountOf(login: { readonly sub: string; readonly email: string }): Promise<string | undefined> {
  const found = await scim.signInFromProvider({
    providerId: 'acme',
    externalId: login.sub,
    profile: { userName: login.email, emails: [{ value: login.email, primary: true }] },
  })
  return found.outcome === 'signed_in' ? found.userId : undefined
}
