import { updateClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'

import type { Change } from './flow.ts'
import { startBank } from './payment-details.ts'
import type { ProofKey } from './dpop.ts'
import { writeProofForGrant } from './dpop.ts'
import type { Reply } from './send.ts'
import type { ServerUnderTest } from './server-under-test.ts'
import { serviceToken, type ClientName } from './token-calls.ts'

export const grantScopes = 'grant_management_query grant_management_revoke'

/**
 * Starts a server on which A, M and P are registered for the scope values of grant management, and A also for the
 * client credentials grant.
 */
export async function startGrantServer(options: Parameters<typeof startBank>[0] = {}): Promise<ServerUnderTest> {
  const site = await startBank({ grantManagement: true, ...options })
  for (const id of ['A', 'M', 'P']) {
    const client = await site.storage.clients.find(clientId(id))
    if (client === undefined) throw new Error(`There is no client ${id}.`)
    const grantTypes = id === 'A' ? [...client.grantTypes, 'client_credentials'] : client.grantTypes
    const scopes = [...client.scopes, ...grantScopes.split(' ')]
    await updateClient({ clientId: id }, { grantTypes, scopes }, { storage: site.storage })
  }
  return site
}

/** Obtains a token for grant management with the client credentials grant. */
export async function managementToken(
  site: ServerUnderTest,
  client: ClientName = 'A',
  change: Change = {},
): Promise<string> {
  const reply = await serviceToken(site, { scope: grantScopes, ...change }, client)
  if (reply.status !== 200) throw new Error(`No token: ${reply.status} ${reply.text}`)
  return String(reply.json['access_token'])
}

/** Queries (GET) or revokes (DELETE) a grant. With a key, the request has a DPoP proof. */
export async function manageGrant(
  site: ServerUnderTest,
  call: { readonly grant: string; readonly token: string; readonly method?: 'GET' | 'DELETE'; readonly key?: ProofKey },
): Promise<Reply> {
  const { grant, token, method = 'GET', key } = call
  const path = `/grants/${grant}`
  const headers =
    key === undefined
      ? { authorization: `Bearer ${token}` }
      : { authorization: `DPoP ${token}`, dpop: await writeProofForGrant(site, key, { token, method, path }) }
  return site.send({ method, path, headers })
}
