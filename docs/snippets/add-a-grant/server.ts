import { createAuthorizationServer, registerClient, createStoredKeys } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'
import { badgeGrant } from './badge-grant.ts'
import { voucherGrant } from './voucher-grant.ts'

export async function createServer(storage: OAuthStorage, sealingKey: string) {
  const grants = [voucherGrant, badgeGrant(storage)]
  const server = createAuthorizationServer({
    issuer: storage.issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
    signedIn: () => Promise.resolve(undefined),
    grants,
  })
  const grantTypes = grants.map(({ grantType }) => grantType)
  const { clientSecret } = await registerClient({ clientId: 'kiosk', clientName: 'Kiosk', grantTypes }, { storage })
  return { server, clientSecret }
}
