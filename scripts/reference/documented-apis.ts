import { readFileSync } from 'node:fs'

import { createAdminServer } from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import type { HttpService } from '@mintmark/core/http'
import { logoutPage } from '@mintmark/pages'
import { createScimServer } from '@mintmark/scim'
import type { JsonObject, AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import { refusals, refuse, type Refusal } from '../../packages/core/src/refusals.ts'
import { refusals as scimRefusals } from '../../packages/scim/src/error/refusals.ts'
import { withErrorResponses, type ErrorAnswer } from './error-responses.ts'

/** An API: its OpenAPI document, and the server that the document describes. */
export interface DocumentedApi {
  readonly document: JsonObject
  readonly server: HttpService
}

/** The three APIs by the names of their documents, and their storage. */
export interface DocumentedApis {
  readonly byName: Readonly<Record<'authorization-server' | 'scim' | 'administration', DocumentedApi>>
  readonly storage: AdminStorage
  /** The authorization server's metadata (RFC 8414 §2). */
  readonly metadata: JsonObject
}

const issuer = 'https://issuer.example'

/**
 * Creates the three servers in memory, with their documents. The administration server generates its document. The
 * other two documents are written by hand in docs/reference/openapi, except for their error responses, which come from
 * the refusal tables. test/docs/reference.test.ts compares the documents with the servers.
 */
export async function documentedApis(): Promise<DocumentedApis> {
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn,
    logout,
    revocationFeed: true,
    grantManagement: true,
  })
  const admin = createAdminServer({ issuer, storage, authorize, onEvent: () => undefined })
  return {
    storage,
    metadata: await jsonAt('/.well-known/openid-configuration', server),
    byName: {
      'authorization-server': { server, document: oauthDocument() },
      scim: { server: createScimServer({ issuer, storage }), document: scimDocument() },
      administration: { server: admin, document: await jsonAt('/admin/v1/openapi.json', admin) },
    },
  }
}

const signedIn = () => Promise.resolve(undefined)

const logout = { endSession: () => Promise.resolve([]), renderPage: logoutPage }

const authorize = () => Promise.resolve({ actor: { kind: 'host', id: 'reference' }, scopes: ['admin:write'] } as const)

const oauthDocument = (): JsonObject =>
  withErrorResponses(readDocument('authorization-server'), {
    answers: (Object.keys(refusals) as readonly Refusal[]).map((row) => refuse(row)),
    codeMember: 'error',
    mediaType: 'application/json',
  })

const scimDocument = (): JsonObject =>
  withErrorResponses(readDocument('scim'), {
    answers: Object.values<ErrorAnswer>(scimRefusals),
    codeMember: 'scimType',
    mediaType: 'application/scim+json',
  })

const readDocument = (name: string): JsonObject =>
  JSON.parse(readFileSync(`docs/reference/openapi/${name}.json`, 'utf8')) as JsonObject

async function jsonAt(path: string, server: HttpService): Promise<JsonObject> {
  const request = {
    method: 'GET',
    url: new URL(issuer + path),
    headers: new Map(),
    repeatedHeaders: new Set<string>(),
    host: undefined,
    body: new Uint8Array(),
  }
  const { body } = await server.handle(request)
  return JSON.parse(typeof body === 'string' ? body : '') as JsonObject
}
