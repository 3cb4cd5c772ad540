import {
  clientId,
  type ClientRecord,
  type EpochSeconds,
  type OAuthStorage,
  type DurationSeconds,
} from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { identifyClient } from './proven-redirect.ts'
import { refuse } from '../refusals.ts'
import type { AllowedOrigins } from '../outbound/client.ts'
import { isVisibleAscii } from './authenticate.ts'
import { isOpenClientId, type OpenClients } from './open-registration.ts'
import { type DocumentMetadata, isDocumentUrl, type RedirectPolicy } from './document-metadata.ts'
import { type DocumentReaders, withDocument } from './document-reader.ts'

/**
 * Clients that describe themselves: at the URL that is their `client_id` (Client ID Metadata Document), or in a
 * `client_id` of open registration.
 */
export interface ClientDocuments {
  /**
   * Finds the client that a browser's request names: a registered client, or a client that describes itself. Stores
   * nothing.
   * @throws OAuthError like `identifyClient`, and invalid_request — reason `client_document_not_allowed` |
   *   `client_document_invalid` | `client_document_withdrawn` | `client_id_forged` | `client_redirects_not_allowed`;
   *   temporarily_unavailable — reason `client_document_unavailable` | `client_documents_throttled`.
   */
  identify(id: string, now: EpochSeconds): Promise<ClientRecord>
  /**
   * Finds a client that pushes a request before it is stored, that is, before any user has consented to it. Returns
   * `undefined` if `id` is neither the URL of a document that this server may read nor from open registration. Stores
   * nothing.
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
   * Stores a client that describes itself, and that a user has consented to.
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
  readonly readers: DocumentReaders
  readonly openClients: OpenClients
  /** The option `dangerouslyAllowOutbound`. */
  readonly allowedOrigins: AllowedOrigins
}

/** @param settings `undefined` when the feature is off. */
export function createClientDocuments(
  settings: ClientDocumentSettings | undefined,
  { storage, readers, openClients, allowedOrigins }: ClientDocumentDependencies,
): ClientDocuments {
  return {
    async identify(id, now) {
      if (isOpenClientId(id)) return identifyOpen(id, now)
      if (!id.startsWith('https://') && !isDocumentUrl(id, allowedOrigins)) return identifyClient(id, storage)
      const stored = await storage.clients.find(clientId(id))
      if (stored?.disabledAt !== undefined) throw refuse('client_disabled_page')
      if (stored !== undefined && stored.origin !== 'document') return stored
      if (settings === undefined) throw refuse('client_unknown_page')
      if (!isDocumentUrl(id, allowedOrigins) || !(await isAllowed(id, settings)))
        throw refuse('client_document_not_allowed', { documentHost: URL.parse(id)?.host })
      const reader = stored === undefined ? readers.ofUnknown : readers.ofStored
      const result = await reader.read(id, now, settings)
      if (result.outcome === 'read') return withDocument(stored, { id, document: result.document, now }, settings)
      if (result.outcome === 'unreachable' && stored !== undefined && isFresh(stored, now, settings)) return stored
      throw result.refusal
    },

    async findByDocument(id, now) {
      if (isOpenClientId(id)) return openClients.identify(id, undefined, now)
      if (settings === undefined || !isDocumentUrl(id, allowedOrigins) || !(await isAllowed(id, settings)))
        return undefined
      const result = await readers.ofUnknown.read(id, now, settings)
      if (result.outcome !== 'read') throw result.refusal
      return withDocument(undefined, { id, document: result.document, now }, settings)
    },

    async reopen(id, document, now) {
      if (isOpenClientId(id)) return identifyOpen(id, now)
      if (document === undefined) return identifyClient(id, storage)
      const stored = await storage.clients.find(clientId(id))
      if (stored?.disabledAt !== undefined) throw refuse('client_disabled_page')
      if (settings === undefined || !(await isAllowed(id, settings))) throw refuse('client_unknown_page')
      return withDocument(stored, { id, document, now }, settings)
    },

    async refreshIfDue(client, now) {
      if (client.origin === 'open_registration') return openClients.permitted(client)
      if (settings === undefined) return undefined
      if (client.disabledAt !== undefined) return client
      // Asked first: an operator who removes a host from the list stops its clients at once.
      if (!(await isAllowed(client.clientId, settings))) return undefined
      if (isFresh(client, now, settings)) return client
      const result = await readers.ofStored.read(client.clientId, now, settings)
      // RFC 6749 §5.2: invalid_client would tell the client to throw its credentials away, and they were not even checked.
      if (result.outcome === 'unreachable') throw result.refusal
      if (result.outcome !== 'read') return undefined
      const renewed = withDocument(client, { id: client.clientId, document: result.document, now }, settings)
      const swapped = await storage.clients.compareAndSwap(renewed, client.version)
      return swapped.outcome === 'swapped' ? swapped.record : storage.clients.find(client.clientId)
    },

    keep: (client) => keepClient(client, storage),
  }

  async function identifyOpen(id: string, now: EpochSeconds): Promise<ClientRecord> {
    const stored = isVisibleAscii(id) ? await storage.clients.find(clientId(id)) : undefined
    if (stored?.disabledAt !== undefined) throw refuse('client_disabled_page')
    return stored !== undefined && stored.origin !== 'open_registration'
      ? stored
      : openClients.identify(id, stored, now)
  }
}

/** Whether the client describes itself, so that it is stored only after a user has consented to it. */
export const describesItself = ({ origin }: ClientRecord): boolean =>
  origin === 'document' || origin === 'open_registration'

async function keepClient(client: ClientRecord, storage: OAuthStorage): Promise<'kept' | 'changed'> {
  return untilSettled(async () => {
    // Has no effect if the client is stored already.
    await storage.clients.insert(client)
    const stored = await storage.clients.find(client.clientId)
    // An administrator has removed the client; its identifier stays taken.
    if (stored === undefined) throw refuse('client_unknown_page')
    if (stored.disabledAt !== undefined) throw refuse('client_disabled_page')
    if (client.origin === 'open_registration') return 'kept'
    const isSame = stored.documentDigest === client.documentDigest
    const isNewer = (client.documentReadAt ?? 0) > (stored.documentReadAt ?? 0)
    if (!isNewer && isSame) return 'kept'
    if (!isNewer) throw refuse('client_document_changed')
    const swapped = await storage.clients.compareAndSwap({ ...stored, ...documentOf(client) }, stored.version)
    if (swapped.outcome !== 'swapped') return undefined
    return isSame ? 'kept' : 'changed'
  })
}

/** Returns the members of a client that come from its document; `undefined` for a registered client. */
export function documentOf(client: ClientRecord): DocumentMetadata | undefined {
  if (client.origin !== 'document') return undefined
  const { clientName, clientUri, policyUri, tosUri } = client
  const { tokenEndpointAuthMethod, redirectUris, grantTypes, jwks, jwksUri, documentDigest, documentReadAt } = client
  const metadata = { tokenEndpointAuthMethod, redirectUris, grantTypes, jwks, jwksUri, documentDigest, documentReadAt }
  return { clientName, clientUri, policyUri, tosUri, ...metadata }
}

async function isAllowed(id: string, { allow }: ClientDocumentSettings): Promise<boolean> {
  if (allow === '*') return true
  const url = new URL(id)
  return typeof allow === 'function' ? allow(url) : allow.includes(url.hostname) || allow.includes(id)
}

/** Whether a stored client may be used without reading its document again. */
const isFresh = (stored: ClientRecord, now: EpochSeconds, { staleFor }: ClientDocumentSettings): boolean =>
  stored.documentReadAt !== undefined && now < stored.documentReadAt + staleFor
