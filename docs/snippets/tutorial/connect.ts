import { registerIdentityProvider } from '@mintmark/scim'
import { storage } from './authorization-server.ts'

const { tenantUrl, secret } = await registerIdentityProvider(
  { providerId: 'acme', displayName: 'Acme Inc.', toleranceProfile: 'general' },
  { storage },
)
console.log(`SCIM_URL=${tenantUrl}\nSCIM_SECRET=${secret}`)
