import { parseJson } from '@mintmark/internal'
import type { ClientRecord, JsonValue, OAuthStorage } from '@mintmark/storage-interface'

import { type AllowedOrigins, createOutboundClient, documentLimits, isOutboundUrl } from '../outbound/client.ts'
import { invalid } from './check-metadata.ts'

/** The sector of a client: clients of one sector get the same `sub` for a user (OIDC Core §8.1). */
export const sectorOf = ({ sectorIdentifierUri, redirectUris }: ClientRecord): string =>
  hostOf(sectorIdentifierUri ?? redirectUris[0]) ?? ''

/**
 * Checks at registration, and for the result of each update, that the client belongs to the sector that it claims: otherwise
 * it could learn which of its users are those of others.
 * @param before the client before the update.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export async function refuseForeignSector(
  client: ClientRecord,
  before: ClientRecord | undefined,
  {
    storage,
    allowedOrigins = [],
  }: { readonly storage: OAuthStorage; readonly allowedOrigins: AllowedOrigins | undefined },
): Promise<void> {
  if (client.subjectType === 'pairwise') requirePairwise(client, storage)
  // OIDC Core §2: `sub` is never reassigned, so a client keeps recognizing its users.
  if (before !== undefined && subjectsOf(before) !== subjectsOf(client))
    throw invalid(
      'subject_type and sector cannot change: the client would know its users no more. Register another one.',
    )
  const { sectorIdentifierUri: uri, redirectUris } = client
  const isChecked = before?.sectorIdentifierUri === uri && sameTexts(before?.redirectUris, redirectUris)
  if (uri === undefined || isChecked) return
  if (!isOutboundUrl(uri, allowedOrigins))
    throw invalid('sector_identifier_uri must be https, by host name, on the default port.')
  const listed = await fetchList(uri, allowedOrigins)
  // OIDC Core §8.1, OIDC Registration §5.
  if (!redirectUris.every((redirectUri) => listed.includes(redirectUri)))
    throw invalid('The document at sector_identifier_uri must be a JSON array with every redirect URI of the client.')
}

function requirePairwise(client: ClientRecord, { subjects }: OAuthStorage): void {
  if (subjects === undefined) throw invalid('Pairwise subjects need a storage with `subjects`.')
  if (client.sectorIdentifierUri !== undefined) return
  const hosts = new Set(client.redirectUris.map(hostOf))
  // OIDC Core §8.1: the sector would not be known.
  if (hosts.size !== 1 || hosts.has(undefined))
    throw invalid('Pairwise subjects need redirect URIs at one host, or a sector_identifier_uri.')
}

const subjectsOf = (client: ClientRecord): string | undefined =>
  client.subjectType === 'pairwise' ? sectorOf(client) : undefined

const sameTexts = (one: readonly string[] | undefined, other: readonly string[]): boolean =>
  one?.length === other.length && one.every((text, index) => text === other[index])

/** The host of a web address, which was checked before. The scheme of an app is no host: any app could claim it. */
function hostOf(uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? hostname : undefined
}

/** @throws ClientMetadataError when the document cannot be read. */
async function fetchList(uri: string, allowedOrigins: AllowedOrigins): Promise<readonly JsonValue[]> {
  const outbound = createOutboundClient(undefined, { ...documentLimits, allowedOrigins })
  const headers = { accept: 'application/json' }
  const result = await outbound.request({ url: uri, headers, timeout: 2500, maxBytes })
  const list = result.outcome === 'answered' && result.status === 200 ? parseJson(result.body) : undefined
  if (!isList(list)) throw invalid('No JSON array could be read at sector_identifier_uri.')
  return list
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** A thousand redirect URIs. */
const maxBytes = 65_536
