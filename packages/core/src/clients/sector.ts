import { isLoopbackHost, parseJson } from '@mintmark/internal'
import type { ClientRecord, JsonValue, OAuthStorage } from '@mintmark/storage-interface'

import { createOutboundClient, documentLimits, isOutboundUrl, type OutboundClient } from '../outbound/client.ts'
import { invalidMetadata } from './check-metadata.ts'

/** Returns the sector of a client. All clients of a sector get the same `sub` for a user (OIDC Core §8.1). */
export const sectorOf = ({
  sectorIdentifierUri,
  redirectUris,
}: Pick<ClientRecord, 'sectorIdentifierUri' | 'redirectUris'>): string =>
  hostOf(sectorIdentifierUri ?? redirectUris[0]) ?? ''

/**
 * Checks, at registration and for the result of each update, that the client belongs to the sector that it names.
 * Otherwise it could find out which of its users also use the clients of another sector.
 * @param before the client before the update.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export async function refuseForeignSector(
  client: ClientRecord,
  before: ClientRecord | undefined,
  deps: SectorDependencies,
): Promise<void> {
  const { storage, dangerouslyAllowOutbound: allowedOrigins = [] } = deps
  if (client.subjectType === 'pairwise') refuseUnusablePairwise(client, storage)
  const { sectorIdentifierUri: uri, redirectUris } = client
  const isChecked = before?.sectorIdentifierUri === uri && isSameList(before?.redirectUris, redirectUris)
  // OIDC Registration §5. The sector is the host of a valid address, so this check comes before the comparison.
  if (uri !== undefined && !isChecked && !isOutboundUrl(uri, allowedOrigins))
    throw invalidMetadata('sector_identifier_uri must use https, a host name and the default port.')
  // OIDC Core §2: `sub` is never reassigned, so a client keeps recognizing its users.
  if (before !== undefined && pairwiseSectorOf(before) !== pairwiseSectorOf(client))
    throw invalidMetadata(
      'subject_type and sector cannot change, because the client would no longer recognize its users. Register a new client.',
    )
  if (uri === undefined || isChecked) return
  const listed = await fetchList(uri, deps)
  // OIDC Core §8.1, OIDC Registration §5.
  if (!redirectUris.every((redirectUri) => listed.includes(redirectUri)))
    throw invalidMetadata(
      'The document at sector_identifier_uri must be a JSON array with every redirect URI of the client.',
    )
}

/** What checking a sector needs. */
export interface SectorDependencies {
  readonly storage: OAuthStorage
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly dangerouslyAllowOutbound?: readonly string[] | undefined
  /**
   * The client for requests, whose limits all registrations share.
   * @defaultValue One for this registration.
   */
  readonly outbound?: OutboundClient
}

/** Creates the client for requests to the documents of sectors. Its limits apply to all registrations that use it. */
export const createSectorClient = ({
  fetch,
  dangerouslyAllowOutbound: allowedOrigins,
}: Pick<SectorDependencies, 'fetch' | 'dangerouslyAllowOutbound'>): OutboundClient =>
  createOutboundClient(fetch, { ...documentLimits, ...(allowedOrigins !== undefined && { allowedOrigins }) })

function refuseUnusablePairwise(client: ClientRecord, { subjects }: OAuthStorage): void {
  if (subjects === undefined) throw invalidMetadata('Pairwise subjects need a storage with `subjects`.')
  if (client.sectorIdentifierUri !== undefined) return
  const hosts = new Set(client.redirectUris.map(hostOf))
  // OIDC Core §8.1: without one host, there would be no sector.
  if (hosts.size !== 1 || hosts.has(undefined))
    throw invalidMetadata('Pairwise subjects need redirect URIs with a single host, or a sector_identifier_uri.')
  // OIDC Core §8.1: nobody owns loopback, so the clients of all developers would be one sector.
  if ([...hosts].some((host) => host !== undefined && isLoopbackHost(host)))
    throw invalidMetadata('Pairwise subjects of a client on loopback need a sector_identifier_uri.')
}

/** Returns the sector of a client with pairwise subjects; `undefined` for public subjects. */
export const pairwiseSectorOf = (client: ClientRecord): string | undefined =>
  client.subjectType === 'pairwise' ? sectorOf(client) : undefined

const isSameList = (one: readonly string[] | undefined, other: readonly string[]): boolean =>
  one?.length === other.length && one.every((entry, index) => entry === other[index])

/** Returns the host of a web address. An app's private-use scheme identifies nobody, because any app could use it. */
function hostOf(uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? hostname : undefined
}

/**
 * Reads the list of redirect URIs.
 * @throws ClientMetadataError when the document is not a JSON array or cannot be read.
 */
async function fetchList(uri: string, deps: SectorDependencies): Promise<readonly JsonValue[]> {
  const outbound = deps.outbound ?? createSectorClient(deps)
  const headers = { accept: 'application/json' }
  const result = await outbound.request({ url: uri, headers, timeout: 2500, maxBytes })
  const list = result.outcome === 'answered' && result.status === 200 ? parseJson(result.body) : undefined
  if (!isList(list)) throw invalidMetadata('No JSON array could be read at sector_identifier_uri.')
  return list
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** Enough for about a thousand redirect URIs. */
const maxBytes = 65_536
