import { createScimServer, logScimEvents, registerIdentityProvider } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer }) // the storage of your authorization server

/** Mount it together with the authorization server: toExpress(server, scim). */
export const scim = createScimServer({ issuer, storage, onEvent: logScimEvents(console) })

const { tenantUrl, secret } = await registerIdentityProvider({ providerId: 'acme' }, { storage })
console.log(`Give these to the administrators of acme: ${tenantUrl} ${secret}`)
