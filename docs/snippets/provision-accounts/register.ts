import { registerIdentityProvider } from '@mintmark/scim'
import { storage } from './scim.ts'

const { tenantUrl, secret } = await registerIdentityProvider(
  { providerId: 'acme', displayName: 'Acme Inc.', toleranceProfile: 'okta' },
  { storage },
)
console.log('SCIM Tenant URL', tenantUrl)
console.log('Secret Token', secret)
