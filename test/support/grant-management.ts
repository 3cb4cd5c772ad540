import { updateClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'

import type { Change } from './flow.ts'
import { startBank } from './payments.ts'
import type { ProofKey } from './dpop.ts'
import { writeProofForGrant } from './dpop.ts'
import type { Reply } from './reply.ts'
import type { ServerUnderTest } from './server-under-test.ts'
import { serviceToken, type ClientName } from './token-calls.ts'

export const grantScopes = 'grant_management_query grant_management_revoke'

/** A server on which A, M and P are registered for the scope values of grant management, and A for tokens of its own. */
export async function startGrantServer(options: Parameters<typeof startBank>[0] = {}): Promise<ServerUnderTest> {
  const under = await startBank({ grantManagement: true, ...options })
  for (const id of ['A', 'M', 'P']) {
    const client = await under.storage.clients.find(clientId(id))
    if (client === undefined) throw new Error(`There is no client ${id}.`)
    const grantTypes = id === 'A' ? [...client.grantTypes, 'client_credentials'] : client.grantTypes
    const scopes = [...client.scopes, ...grantScopes.split(' ')]
    await updateClient({ clientId: id }, { grantTypes, scopes }, { storage: under.storage })
  }
  return under
}

/** A token that the client holds for itself. */
export async function managementToken(
  under: ServerUnderTest,
  client: ClientName = 'A',
  change: Change = {},
): Promise<string> {
  const reply = await serviceToken(under, { scope: grantScopes, ...change }, client)
  if (reply.status !== 200) throw new Error(`No token: ${reply.status} ${reply.text}`)
  return String(reply.json['access_token'])
}

/** GET or DELETE of a grant. With a key, the token is bound to it. */
export async function manageGrant(
  under: ServerUnderTest,
  call: { readonly grant: string; readonly token: string; readonly method?: 'GET' | 'DELETE'; readonly key?: ProofKey },
): Promise<Reply> {
  const { grant, token, method = 'GET', key } = call
  const path = `/grants/${grant}`
  const headers =
    key === undefined
      ? { authorization: `Bearer ${token}` }
      : { authorization: `DPoP ${token}`, dpop: await writeProofForGrant(under, key, { token, method, path }) }
  return under.send({ method, path, headers })
}
