// One file: fetching, caching and storing the document of a client follow one set of rules.

import {
  clientId,
  type ClientRecord,
  type EpochSeconds,
  type OAuthStorage,
  type DurationSeconds,
} from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { identifyClient } from './proven-redirect.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { createFetchCache, type Fetched } from '../outbound/fetch-cache.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { type OAuthError, refuse } from '../refusals.ts'
import { ClientMetadataError, refuseUnusable } from './check-metadata.ts'
import { type DocumentMetadata, isDocumentUrl, readDocument, type RedirectPolicy } from './document-metadata.ts'
import { completeMetadata } from './metadata.ts'

/** Clients that describe themselves at the URL that is their `client_id` (Client ID Metadata Document). */
export interface ClientDocuments {
  /**
   * Finds the client that a browser's request names: a registered client, or a client with a document. Stores nothing.
   * @throws OAuthError like `identifyClient`, and invalid_request — reason `client_document_not_allowed` |
   *   `client_document_invalid` | `client_document_withdrawn`; temporarily_unavailable — reason
   *   `client_document_unavailable` | `client_documents_throttled`.
   */
  identify(id: string, now: EpochSeconds): Promise<ClientRecord>
  /**
   * Reads the document of a client that pushes a request before it is stored, that is, before any user has consented to
   * it. Returns `undefined` if `id` is not the URL of a document that this server may read. Stores nothing.
   * @throws OAuthError like `identify`, for a document that cannot be used or read.
   */
  findByDocument(id: string, now: EpochSeconds): Promise<ClientRecord | undefined>
  /** Finds the client of a pending interaction. `document` is the document as it was when the interaction started. */
  reopen(id: string, document: DocumentMetadata | undefined, now: EpochSeconds): Promise<ClientRecord>
  /**
   * Reads the document of a stored client again, if that is due, and stores the result. Returns the client, or
   * `undefined` if the client may no longer be used.
   * @throws OAuthError temporarily_unavailable — reason `client_document_unavailable` | `client_documents_throttled`.
   */
  refreshIfDue(client: ClientRecord, now: EpochSeconds): Promise<ClientRecord | undefined>
  /**
   * Stores the client that a user has consented to.
   * @returns `changed` when users must consent to the client again.
   * @throws OAuthError invalid_request — reason `client_document_changed`: another request has stored a newer document;
   *   and like `identifyClient`.
   */
  keep(client: ClientRecord): Promise<'kept' | 'changed'>
}

/** The option `clientDocuments`, with every default filled in. */
export interface ClientDocumentSettings {
  readonly allow: '*' | readonly string[] | ((url: URL) => boolean | Promise<boolean>)
  readonly scopes: readonly string[]
  readonly redirects: RedirectPolicy
  readonly staleFor: DurationSeconds
}

interface ClientDocumentDependencies {
  readonly storage: OAuthStorage
  readonly outbound: OutboundClient
  /** Counts requests for documents, by host and in total. */
  readonly fetches: { readonly ofHost: RateLimiter; readonly inTotal: RateLimiter }
}

/** @param settings `undefined` when the feature is off. */
export function createClientDocuments(
  settings: ClientDocumentSettings | undefined,
  deps: ClientDocumentDependencies,
): ClientDocuments {
  const { storage } = deps
  const cached = createFetchCache<ReadOutcome>(maxCached)

  return {
    async identify(id, now) {
      if (!id.startsWith('https://')) return identifyClient(id, storage)
      const stored = await storage.clients.find(clientId(id))
      if (stored?.disabledAt !== undefined) throw refuse('client_disabled:page')
      if (stored !== undefined && stored.origin !== 'document') return stored
      if (settings === undefined) throw refuse('client_unknown:page')
      if (!isDocumentUrl(id) || !(await isAllowed(id, settings)))
        throw refuse('client_document_not_allowed', { documentHost: hostOf(id) })
      const result = await read(id, now, settings)
      if (result.outcome === 'read') return withDocument(stored, { id, document: result.document, now }, settings)
      if (result.outcome === 'unreachable' && stored !== undefined && isFresh(stored, now, settings)) return stored
      throw result.refusal
    },

    async findByDocument(id, now) {
      if (settings === undefined || !isDocumentUrl(id) || !(await isAllowed(id, settings))) return undefined
      const result = await read(id, now, settings)
      if (result.outcome !== 'read') throw result.refusal
      return withDocument(undefined, { id, document: result.document, now }, settings)
    },

    async reopen(id, document, now) {
      if (document === undefined) return identifyClient(id, storage)
      const stored = await storage.clients.find(clientId(id))
      if (stored?.disabledAt !== undefined) throw refuse('client_disabled:page')
      if (settings === undefined || !(await isAllowed(id, settings))) throw refuse('client_unknown:page')
      return withDocument(stored, { id, document, now }, settings)
    },

    async refreshIfDue(client, now) {
      if (settings === undefined) return undefined
      if (client.disabledAt !== undefined) return client
      // Asked first: an operator who removes a host from the list stops its clients at once.
      if (!(await isAllowed(client.clientId, settings))) return undefined
      if (isFresh(client, now, settings)) return client
      const result = await read(client.clientId, now, settings)
      // RFC 6749 §5.2: invalid_client would tell the client to throw its credentials away, and they were not even checked.
      if (result.outcome === 'unreachable') throw result.refusal
      if (result.outcome !== 'read') return undefined
      const renewed = withDocument(client, { id: client.clientId, document: result.document, now }, settings)
      const swapped = await storage.clients.compareAndSwap(renewed, client.version)
      return swapped.outcome === 'swapped' ? swapped.record : storage.clients.find(client.clientId)
    },

    async keep(client) {
      if (client.origin !== 'document') return 'kept'
      return untilSettled(async () => {
        // Has no effect if the client is stored already.
        await storage.clients.insert(client)
        const stored = await storage.clients.find(client.clientId)
        // An administrator has removed the client; its identifier stays taken.
        if (stored === undefined) throw refuse('client_unknown:page')
        if (stored.disabledAt !== undefined) throw refuse('client_disabled:page')
        const isSame = stored.documentDigest === client.documentDigest
        const isNewer = (client.documentReadAt ?? 0) > (stored.documentReadAt ?? 0)
        if (!isNewer && isSame) return 'kept'
        if (!isNewer) throw refuse('client_document_changed')
        const swapped = await storage.clients.compareAndSwap({ ...stored, ...documentOf(client) }, stored.version)
        if (swapped.outcome !== 'swapped') return undefined
        return isSame ? 'kept' : 'changed'
      })
    },
  }

  /** Reads a document from the cache or by fetching it. */
  function read(id: string, now: EpochSeconds, { redirects, scopes }: ClientDocumentSettings): Promise<ReadOutcome> {
    return cached(id, now, () => fetchDocument({ id, now, redirects, scopes }, deps))
  }
}

/** Returns the members of a client that come from its document; `undefined` for a registered client. */
export function documentOf(client: ClientRecord): DocumentMetadata | undefined {
  if (client.origin !== 'document') return undefined
  const { clientName, clientUri, policyUri, tosUri } = client
  const { tokenEndpointAuthMethod, redirectUris, grantTypes, jwks, jwksUri, documentDigest, documentReadAt } = client
  const metadata = { tokenEndpointAuthMethod, redirectUris, grantTypes, jwks, jwksUri, documentDigest, documentReadAt }
  return { clientName, clientUri, policyUri, tosUri, ...metadata }
}

type ReadOutcome =
  | { readonly outcome: 'read'; readonly document: DocumentMetadata }
  /** With `unreachable`, the stored client may still be used; with `refused`, it may not. */
  | { readonly outcome: 'unreachable' | 'refused'; readonly refusal: OAuthError }

async function fetchDocument(
  request: {
    readonly id: string
    readonly now: EpochSeconds
    readonly redirects: RedirectPolicy
    readonly scopes: readonly string[]
  },
  { outbound, fetches }: ClientDocumentDependencies,
): Promise<Fetched<ReadOutcome>> {
  const { id, now, redirects } = request
  const counters = [
    [fetches.ofHost, `host ${new URL(id).host}`],
    [fetches.inTotal, 'total'],
  ] as const
  for (const [limiter, key] of counters) {
    const decision = await limiter.consume(key, now)
    if (!decision.allowed) {
      const refusal = refuse(
        'client_documents_throttled',
        { documentHost: hostOf(id) },
        { retryAfter: decision.retryAfter },
      )
      return readFailure('unreachable', refusal)
    }
  }
  const headers = { accept: 'application/json' }
  const result = await outbound.request({ url: id, headers, timeout: 2500, maxBytes })
  if (result.outcome === 'failed' && result.failure === 'too_large') return invalidDocument(id, 'too_large')
  if (result.outcome === 'failed') return unavailableDocument(id, result.failure)
  // A client withdraws by deleting its document. The stored copy must not be used after that.
  if (result.status === 404 || result.status === 410)
    return readFailure('refused', refuse('client_document_withdrawn', { documentHost: hostOf(id) }))
  if (result.status >= 500 || result.status === 429) return unavailableDocument(id, `http_${result.status}`)
  // Client ID Metadata Document §5.1: only a response with 200 is accepted, and no redirect is followed.
  const type = result.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (result.status !== 200) return invalidDocument(id, `http_${result.status}`)
  if (!/^application\/(?:[a-z0-9.-]+\+)?json$/.test(type)) return invalidDocument(id, 'not_json')
  const document = await readDocument({ id, body: result.body, readAt: now }, redirects)
  if (document === undefined || !isUsable(withDocument(undefined, { id, document, now }, request)))
    return invalidDocument(id, 'metadata')
  return { value: { outcome: 'read', document }, keepFor: cacheTime(result.headers.get('cache-control') ?? '') }
}

const readFailure = (outcome: 'unreachable' | 'refused', refusal: OAuthError): Fetched<ReadOutcome> => ({
  value: { outcome, refusal },
  keepFor: 0,
})

const invalidDocument = (id: string, documentFailure: string) =>
  readFailure('refused', refuse('client_document_invalid', { documentHost: hostOf(id), documentFailure }))

const unavailableDocument = (id: string, documentFailure: string) =>
  readFailure('unreachable', refuse('client_document_unavailable', { documentHost: hostOf(id), documentFailure }))

/** Returns the host of a document for the log; `undefined` if the client_id is not a URL. */
const hostOf = (id: string): string | undefined => URL.parse(id)?.host

/** Returns for how many seconds to cache a response; 0 when it must not be stored (RFC 9111 §5.2.2). */
function cacheTime(cacheControl: string): number {
  if (/(?:^|[\s,])no-store(?:$|[\s,=])/i.test(cacheControl)) return 0
  const age = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl)?.[1]
  return Math.min(Math.max(Number(age ?? 0), shortestCache), longestCache)
}

function isUsable(client: ClientRecord): boolean {
  try {
    refuseUnusable(client)
    return true
  } catch (error) {
    if (error instanceof ClientMetadataError) return false
    throw error
  }
}

/** Returns the client as its document describes it. Keeps what an administrator has changed in a stored client. */
function withDocument(
  stored: ClientRecord | undefined,
  { id, document, now }: { readonly id: string; readonly document: DocumentMetadata; readonly now: EpochSeconds },
  { scopes }: Pick<ClientDocumentSettings, 'scopes'>,
): ClientRecord {
  if (stored !== undefined) return { ...stored, ...document }
  const { clientName } = document
  return {
    clientId: clientId(id),
    ...completeMetadata({ clientName, scopes, requirePkce: true }),
    ...document,
    secrets: [],
    origin: 'document',
    selfManagement: undefined,
    disabledAt: undefined,
    createdAt: now,
    version: 1,
  }
}

async function isAllowed(id: string, { allow }: ClientDocumentSettings): Promise<boolean> {
  if (allow === '*') return true
  const url = new URL(id)
  return typeof allow === 'function' ? allow(url) : allow.includes(url.hostname) || allow.includes(id)
}

/** Whether a stored client may be used without reading its document again. */
const isFresh = (stored: ClientRecord, now: EpochSeconds, { staleFor }: ClientDocumentSettings): boolean =>
  stored.documentReadAt !== undefined && now < stored.documentReadAt + staleFor

/** Client ID Metadata Document §5.1 suggests 5 KiB. */
const maxBytes = 5120

/** In seconds: a response is cached for at least and at most this long, whatever its `max-age` is. */
const shortestCache = 60
const longestCache = 86_400

const maxCached = 1000
