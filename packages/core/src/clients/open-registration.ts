import {
  decodeBase64url,
  encodeBase64url,
  equalInConstantTime,
  hmacSha256,
  isLoopbackHost,
  parseJson,
  cleanName,
} from '@mintmark/internal'
import { clientId, type ClientRecord, type EpochSeconds } from '@mintmark/storage-interface'

import type { KeyRing } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'
import { ClientMetadataError, invalidMetadata, refuseUnusable } from './check-metadata.ts'
import { completeMetadata, type RequiredMetadata } from './metadata.ts'
import { hostOrScheme, redirectUriProblem } from './redirect-uri.ts'
import { newClientRecord } from './registration.ts'
import { contradictions, profileRules, type ProfileSettings } from './security-profile.ts'

/**
 * Open registration of public clients (RFC 7591 Appendix A.1.1). It is stateless (Appendix A.5.2): the `client_id`
 * contains the metadata and a MAC, so strangers who register clients take no space in storage. The same metadata always
 * get the same `client_id`.
 */
export interface OpenRegistration {
  /**
   * Creates the `client_id` of a client. Stores nothing.
   * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata.
   */
  register(metadata: OpenMetadata, now: EpochSeconds): Promise<OpenlyRegistered>
}

interface OpenlyRegistered {
  readonly client: ClientRecord
  /** The requested redirect URIs that the client may use. Those of `client` have no loopback port. */
  readonly redirectUris: readonly string[]
}

/** The metadata that a client chooses itself. */
type OpenMetadata = Pick<RequiredMetadata, 'clientName'> & {
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
}

/** Clients that registered themselves without a permission. */
export interface OpenClients extends OpenRegistration {
  /**
   * Finds the client that a `client_id` of open registration names.
   * @param stored the client, if a user has consented to it.
   * @throws OAuthError invalid_request — reason `client_unknown` | `client_id_forged` | `client_redirects_not_allowed`.
   */
  identify(id: string, stored: ClientRecord | undefined, now: EpochSeconds): Promise<ClientRecord>
  /** Returns a stored client as the settings now allow it; `undefined` if they do not. */
  permitted(stored: ClientRecord): ClientRecord | undefined
}

/** The option `openRegistration`, with every default filled in. */
export interface OpenRegistrationSettings {
  readonly scopes: readonly string[]
  readonly redirectHosts: readonly string[]
}

interface OpenClientDependencies extends ProfileSettings {
  readonly issuer: string
  readonly keys: Pick<KeyRing, 'deriveSecrets'>
}

/** @param settings `undefined` when the feature is off. */
export function createOpenClients(
  settings: OpenRegistrationSettings | undefined,
  deps: OpenClientDependencies,
): OpenClients {
  return {
    async register(requested, now) {
      if (settings === undefined) throw invalidMetadata('This server has no open registration.')
      const metadata = normalize(requested, settings)
      const payload = encodePayload(metadata)
      const [mac = ''] = await macsOf(payload, deps)
      const id = `${prefix}${payload}.${mac}`
      // RFC 6749 Appendix A.1: nobody accepts an arbitrarily long client_id.
      if (id.length > maxLength)
        throw invalidMetadata('client_name and redirect_uris are too long. Use a shorter name or fewer redirect URIs.')
      const client = recordOf({ id, metadata, now }, settings)
      refuseUnusable(client, deps)
      const [contradiction] = contradictions(client, profileRules(client, deps))
      if (contradiction !== undefined)
        throw invalidMetadata(`The minimum profile of the server requires that ${contradiction}.`)
      return { client, redirectUris: requested.redirectUris.filter((uri) => isPermitted(uri, settings)) }
    },

    async identify(id, stored, now) {
      if (settings === undefined) throw refuse('client_unknown_page')
      const client = stored ?? (await read(id, now, settings))
      if (client === undefined) throw refuse('client_id_forged')
      const permitted = permittedBy(settings, client)
      if (permitted === undefined) throw refuse('client_redirects_not_allowed', { clientId: client.clientId })
      return permitted
    },

    permitted: (stored) => settings && permittedBy(settings, stored),
  }

  /** Reads the metadata from a `client_id`. Returns `undefined` if this issuer has not created it. */
  async function read(
    id: string,
    now: EpochSeconds,
    { scopes }: OpenRegistrationSettings,
  ): Promise<ClientRecord | undefined> {
    const [payload = '', mac = ''] = id.slice(prefix.length).split('.')
    const macs = await macsOf(payload, deps)
    const isGenuine = `${prefix}${payload}.${mac}` === id && macs.some((own) => equalInConstantTime(own, mac))
    const metadata = isGenuine ? decodePayload(payload) : undefined
    return metadata && recordOf({ id, metadata, now }, { scopes })
  }
}

/** Whether a `client_id` has the form of those that open registration creates. */
export const isOpenClientId = (id: string): boolean => id.startsWith(prefix)

/** No redirect URI may be at another place than the settings allow now: an operator can close a host at once. */
function permittedBy(settings: OpenRegistrationSettings, client: ClientRecord): ClientRecord | undefined {
  const redirectUris = client.redirectUris.filter((uri) => isPermitted(uri, settings))
  if (redirectUris.length === 0) return undefined
  return redirectUris.length === client.redirectUris.length ? client : { ...client, redirectUris }
}

/**
 * Limits the metadata to what the server accepts (RFC 7591 §2: it may replace what a client requests). The port of a
 * loopback address is left out, because any port is accepted (RFC 8252 §7.3): a program that takes another port each time
 * gets the same `client_id`.
 */
function normalize({ clientName, ...requested }: OpenMetadata, settings: OpenRegistrationSettings): OpenMetadata {
  const permitted = requested.redirectUris.filter((uri) => isPermitted(uri, settings))
  // RFC 7591 §5: a redirect URI of somebody else would receive the codes.
  if (permitted.length === 0)
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      `One of the redirect_uris must be on loopback${settings.redirectHosts.map((host) => `, or at ${host}`).join('')}.`,
    )
  // RFC 7591 §3.2.2: without this grant, the client could do nothing.
  if (!requested.grantTypes.includes('authorization_code'))
    throw invalidMetadata('grant_types must contain authorization_code.')
  return {
    clientName: cleanName(clientName).trim(),
    redirectUris: [...new Set(permitted.map(withoutLoopbackPort))].toSorted(),
    grantTypes: openGrantTypes.filter((name) => requested.grantTypes.includes(name)),
  }
}

const openGrantTypes = ['authorization_code', 'refresh_token'] as const

/** Whether the server may redirect to the address: on loopback, at a host of the list, or with a scheme of the list. */
function isPermitted(uri: string, { redirectHosts }: Pick<OpenRegistrationSettings, 'redirectHosts'>): boolean {
  const target = hostOrScheme(uri)
  if (target === undefined || redirectUriProblem(uri, redirectHosts) !== undefined) return false
  return redirectHosts.includes(target) || (uri.startsWith('http:') && isLoopbackHost(target))
}

const withoutLoopbackPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d+/, '$1')

function recordOf(
  { id, metadata, now }: { readonly id: string; readonly metadata: OpenMetadata; readonly now: EpochSeconds },
  { scopes }: Pick<OpenRegistrationSettings, 'scopes'>,
): ClientRecord {
  const members = completeMetadata({ ...metadata, scopes, tokenEndpointAuthMethod: 'none', requirePkce: true })
  return newClientRecord({ clientId: clientId(id), ...members }, { origin: 'open_registration', now })
}

const encodePayload = ({ clientName, redirectUris, grantTypes }: OpenMetadata): string =>
  encodeBase64url(new TextEncoder().encode(JSON.stringify([clientName, grantTypes.join(' '), ...redirectUris])))

/** @param payload its MAC has proved that this issuer has encoded it. */
function decodePayload(payload: string): OpenMetadata | undefined {
  const content = parseJson(new TextDecoder().decode(decodeBase64url(payload)))
  const texts = Array.isArray(content) ? content.filter((entry) => typeof entry === 'string') : []
  const [clientName, grantTypes, ...redirectUris] = texts
  if (clientName === undefined || grantTypes === undefined) return undefined
  return { clientName, redirectUris, grantTypes: grantTypes.split(' ') }
}

/** Returns the MAC for each secret of the issuer, the current one first: earlier ones are still accepted. */
async function macsOf(payload: string, { issuer, keys }: OpenClientDependencies): Promise<readonly string[]> {
  const content = new TextEncoder().encode(`${issuer} ${payload}`)
  const secrets = await keys.deriveSecrets('open registration')
  return Promise.all(secrets.map(async (secret) => encodeBase64url(await hmacSha256(secret, content))))
}

/** Not the form of an identifier that the server or an administrator usually chooses. */
const prefix = 'open.'
/** In characters: as long as any `client_id` that this server accepts. */
const maxLength = 1024
