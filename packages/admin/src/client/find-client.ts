import { clientId, type ClientRecord, type Storage } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../page/identifier.ts'

/** @throws AdminError `client_unknown`. */
export async function findClient(id: string, { storage }: { readonly storage: Storage }): Promise<ClientRecord> {
  const client = isIdentifier(id) ? await storage.clients.find(clientId(id)) : undefined
  // RFC 9110 §15.5.5.
  if (client === undefined) throw new AdminError('client_unknown')
  return client
}
