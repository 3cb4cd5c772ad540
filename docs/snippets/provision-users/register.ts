import { registerIdentityProvider } from '@mintmark/scim'
import { storage } from './scim.ts'

const { tenantUrl, secret } = await registerIdentityProvider(
  { providerId: 'acme', displayName: 'Acme Inc.', toleranceProfile: 'okta', verifiedDomains: ['acme.example'] },
  { storage },
)
console.log('SCIM Tenant URL', tenantUrl)
console.log('Secret Token', secret)
