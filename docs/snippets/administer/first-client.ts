import { createAdministration } from '@mintmark/admin'
import { storage } from './server.ts'

const administration = createAdministration({ storage }).as({ kind: 'host', id: 'set-up' })

export const { clientSecret } = await administration.clients.create({
  clientId: 'back-office',
  clientName: 'Back office',
  grantTypes: ['client_credentials'],
  scopes: ['admin:clients:write', 'admin:users:read'],
})
console.log(clientSecret) // it cannot be shown again: storage keeps only a hash
