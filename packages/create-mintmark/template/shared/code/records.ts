import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import { clientId, providerId, type ScimStorage } from '@mintmark/storage-interface'

interface Records {
  readonly issuer: string
  readonly storage: ScimStorage
  /** Prints a line. */
  readonly print: (line: string) => void
}

/** Creates a client and a directory, unless they exist. Secrets are printed once and cannot be shown again. */
export async function createRecords({ issuer, storage, print }: Records): Promise<void> {
  if ((await storage.clients.find(clientId('my-app'))) === undefined) {
    const { clientSecret } = await registerClient(
      {
        clientId: 'my-app',
        clientName: 'My app',
        redirectUris: ['http://localhost:4000/callback'],
        requirePkce: true,
        grantTypes: ['authorization_code', 'refresh_token'],
        scopes: ['openid', 'profile', 'email', 'offline_access'],
      },
      { storage },
    )
    print(`Client          my-app, secret ${clientSecret}, redirect URI http://localhost:4000/callback`)
  }

  // The client of try-it.ts, which shows a first sign-in. It is public, so it has no secret.
  if ((await storage.clients.find(clientId('try-it'))) === undefined) {
    await registerClient(
      {
        clientId: 'try-it',
        clientName: 'Try it',
        tokenEndpointAuthMethod: 'none',
        redirectUris: [`${issuer}/try/callback`],
        scopes: ['openid', 'profile', 'email'],
      },
      { storage },
    )
  }

  if ((await storage.identityProviders.find(providerId('acme'))) === undefined) {
    const { tenantUrl, secret } = await registerIdentityProvider(
      { providerId: 'acme', displayName: 'Acme Inc.', toleranceProfile: 'general' },
      { storage },
    )
    print(`SCIM Tenant URL ${tenantUrl}\nSecret Token    ${secret}`)
  }
}
