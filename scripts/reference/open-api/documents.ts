import { createAdminServer, type HostAdministrator } from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import type { HttpService } from '@mintmark/core/http'
import { createScimServer } from '@mintmark/scim'
import type { JsonObject, Storage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import { oauthOpenApi } from './oauth-open-api.ts'
import { scimOpenApi } from './scim-open-api.ts'

/** An API, and the server that answers it. */
export interface DocumentedApi {
  readonly document: JsonObject
  readonly server: HttpService
}

/** The three APIs by the names of their files, and the storage below them. */
export interface DocumentedApis {
  readonly byName: Readonly<Record<'authorization-server' | 'scim' | 'administration', DocumentedApi>>
  readonly storage: Storage
}

const issuer = 'https://issuer.example'

/** Makes servers in memory, and the documents of their metadata and routes. */
export async function documentedApis(): Promise<DocumentedApis> {
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: () => Promise.resolve(undefined),
    revocationFeed: true,
  })
  const admin = createAdminServer({
    issuer,
    storage,
    authorize: () => Promise.resolve(anybody),
    onEvent: () => undefined,
  })
  return {
    storage,
    byName: {
      'authorization-server': {
        server,
        document: oauthOpenApi(issuer, await jsonAt('/.well-known/openid-configuration', server)),
      },
      scim: { server: createScimServer({ issuer, storage }), document: scimOpenApi(issuer) },
      administration: { server: admin, document: await jsonAt('/admin/v1/openapi.json', admin) },
    },
  }
}

/** Nothing outside this process can ask. */
const anybody: HostAdministrator = { actor: { kind: 'host', id: 'reference' }, scopes: ['admin:write'] }

async function jsonAt(path: string, server: HttpService): Promise<JsonObject> {
  const request = {
    method: 'GET',
    url: new URL(issuer + path),
    headers: new Map(),
    repeatedHeaders: new Set<string>(),
    body: new Uint8Array(),
  }
  const { body } = await server.handle(request)
  return JSON.parse(typeof body === 'string' ? body : '') as JsonObject
}
