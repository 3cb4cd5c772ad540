import { type Capacity, forgetOldest } from '@mintmark/internal'
import { clientId, type ClientRecord, type EpochSeconds, seconds, after } from '@mintmark/storage-interface'

import {
  type AllowedOrigins,
  createOutboundClient,
  documentBreaker,
  documentLimits,
  type OutboundClient,
} from '../outbound/client.ts'
import { createFetchCache, type Fetched } from '../outbound/fetch-cache.ts'
import { createMemoryRateLimiter, type RateLimiter } from '../rate-limiter.ts'
import { type OAuthError, refuse } from '../refusals.ts'
import { ClientMetadataError, refuseUnusable } from './check-metadata.ts'
import { type DocumentMetadata, readDocument, type RedirectPolicy } from './document-metadata.ts'
import { completeMetadata } from './metadata.ts'

/** Reads the metadata documents of clients (Client ID Metadata Document §5), from a cache or by fetching them. */
export interface DocumentReader {
  read(id: string, now: EpochSeconds, rules: DocumentRules): Promise<ReadOutcome>
}

/** What a document may contain. */
interface DocumentRules {
  readonly redirects: RedirectPolicy
  readonly scopes: readonly string[]
}

/**
 * Clients that a user has consented to have a reader of their own, with its own limits, connections and cache. Strangers
 * then cannot keep their documents from being read.
 */
export interface DocumentReaders {
  readonly ofStored: DocumentReader
  readonly ofUnknown: DocumentReader
}

/** A stranger chooses which URL is read for an unknown client; only users who have signed in add stored ones. */
export const createDocumentReaders = (
  fetch: typeof globalThis.fetch | undefined,
  {
    capacity,
    allowedOrigins,
  }: { readonly capacity: Pick<Capacity, 'outside'>; readonly allowedOrigins: AllowedOrigins },
): DocumentReaders => ({
  ofStored: createDocumentReader({
    capacity,
    allowedOrigins,
    outbound: createOutboundClient(fetch, { ...documentLimits, breaker: documentBreaker, allowedOrigins }),
    limits: [
      { limiter: createMemoryRateLimiter({ points: 60, window: 60 }), keyOf: ({ href }: URL) => `document ${href}` },
    ],
  }),
  ofUnknown: createDocumentReader({
    capacity,
    allowedOrigins,
    outbound: createOutboundClient(fetch, { ...documentLimits, breaker: documentBreaker, allowedOrigins }),
    limits: [
      { limiter: createMemoryRateLimiter({ points: 60, window: 60 }), keyOf: ({ host }: URL) => `host ${host}` },
      { limiter: createMemoryRateLimiter({ points: 600, window: 60 }), keyOf: () => 'total' },
    ],
  }),
})

interface DocumentReaderSettings {
  readonly capacity: Pick<Capacity, 'outside'>
  readonly outbound: OutboundClient
  /** The option `dangerouslyAllowOutbound`. */
  readonly allowedOrigins: AllowedOrigins
  /**
   * Counts requests for documents, all of them or those of a host or URL. A document that is in the cache is read again
   * at most once a minute, and is not counted: those who guess URLs cannot use up what it needs.
   */
  readonly limits: readonly { readonly limiter: RateLimiter; readonly keyOf: (url: URL) => string }[]
}

/** Creates a reader with a cache of its own. A failure is remembered for ten seconds, for this URL only. */
export function createDocumentReader({
  capacity,
  outbound,
  allowedOrigins,
  limits,
}: DocumentReaderSettings): DocumentReader {
  const documents = createFetchCache<ReadOutcome>(maxCached)
  const failures = new Map<string, { readonly outcome: ReadOutcome; readonly until: EpochSeconds }>()

  return {
    read: (id, now, rules) =>
      capacity.outside(`document ${id}`, () =>
        documents(id, now, async (known) => {
          const failure = failures.get(id)
          if (failure !== undefined && now < failure.until) return { value: failure.outcome, keepFor: 0 }
          const throttled = known === undefined ? await countRequest(new URL(id), now, limits) : undefined
          if (throttled !== undefined) return { value: throttled, keepFor: 0 }
          const fetched = await fetchDocument({ id, now, allowedOrigins, ...rules }, outbound)
          failures.delete(id)
          if (fetched.value.outcome !== 'read') {
            failures.set(id, { outcome: fetched.value, until: after(now, keepFailureFor) })
            forgetOldest(failures, maxCached)
          }
          return fetched
        }),
      ),
  }
}

/** @returns the refusal, if a limit has been reached. */
async function countRequest(
  url: URL,
  now: EpochSeconds,
  limits: DocumentReaderSettings['limits'],
): Promise<ReadOutcome | undefined> {
  for (const { limiter, keyOf } of limits) {
    const decision = await limiter.consume(keyOf(url), now)
    if (decision.allowed) continue
    const { retryAfter } = decision
    const refusal = refuse('client_documents_throttled', { documentHost: url.host }, { retryAfter })
    return { outcome: 'unreachable', refusal }
  }
  return undefined
}

type ReadOutcome =
  | { readonly outcome: 'read'; readonly document: DocumentMetadata }
  /** With `unreachable`, the stored client may still be used; with `refused`, it may not. */
  | { readonly outcome: 'unreachable' | 'refused'; readonly refusal: OAuthError }

interface DocumentRequest extends DocumentRules {
  readonly id: string
  readonly now: EpochSeconds
  readonly allowedOrigins: AllowedOrigins
}

async function fetchDocument(request: DocumentRequest, outbound: OutboundClient): Promise<Fetched<ReadOutcome>> {
  const { id, now, redirects, allowedOrigins } = request
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
  if (document === undefined || !isUsable(withDocument(undefined, { id, document, now }, request), allowedOrigins))
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
  readFailure(
    'unreachable',
    refuse(
      'client_document_unavailable',
      { documentHost: hostOf(id), documentFailure },
      { retryAfter: keepFailureFor },
    ),
  )

/** Returns the host of a document for the log; `undefined` if the client_id is not a URL. */
const hostOf = (id: string): string | undefined => URL.parse(id)?.host

/** Returns for how many seconds to cache a response; 0 when it must not be stored (RFC 9111 §5.2.2). */
function cacheTime(cacheControl: string): number {
  if (/(?:^|[\s,])no-store(?:$|[\s,=])/i.test(cacheControl)) return 0
  const age = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl)?.[1]
  return Math.min(Math.max(Number(age ?? 0), shortestCache), longestCache)
}

function isUsable(client: ClientRecord, allowedOrigins: AllowedOrigins): boolean {
  try {
    refuseUnusable(client, { allowedOrigins })
    return true
  } catch (error) {
    if (error instanceof ClientMetadataError) return false
    throw error
  }
}

/** Returns the client as its document describes it. Keeps what an administrator has changed in a stored client. */
export function withDocument(
  stored: ClientRecord | undefined,
  { id, document, now }: { readonly id: string; readonly document: DocumentMetadata; readonly now: EpochSeconds },
  { scopes }: Pick<DocumentRules, 'scopes'>,
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
    agent: undefined,
    disabledAt: undefined,
    createdAt: now,
    version: 1,
  }
}

/** Client ID Metadata Document §5.1 suggests 5 KiB. */
const maxBytes = 5120

/** In seconds: a response is cached for at least and at most this long, whatever its `max-age` is. */
const shortestCache = 60
const longestCache = 86_400

/** A stranger who repeats a URL does not make the server repeat the request. */
const keepFailureFor = seconds(10)

const maxCached = 1000
