import {
  checkOptions,
  randomIdentifier,
  randomSecret,
  systemClock,
  systemRandom,
  type Random,
} from '@mintmark/internal'
import { clientId, userId, type ClientRecord, type EpochSeconds } from '@mintmark/storage-interface'

import { parseIssuer } from '@mintmark/internal'
import {
  completeMetadata,
  usesSecret,
  type ClearableMetadata,
  type DefaultedMetadata,
  type RequiredMetadata,
} from './metadata.ts'
import { invalidMetadata, refuseMalformed, refuseUnserved, refuseUnsignable, refuseUnusable } from './check-metadata.ts'
import { type RegistrationDependencies, registrationOptions } from './registration-options.ts'
import { refuseForeignSector, type SectorDependencies } from './sector.ts'
import { clientSecretRecord } from './secrets.ts'

/** The metadata of a client as an administrator provides it; names follow RFC 7591 §2. */
export interface ClientRegistration extends RequiredMetadata, DefaultedMetadata, ClearableMetadata {
  /**
   * The identifier of the client: visible ASCII.
   * @defaultValue 128 random bits. The identifier is unique and has no meaning.
   */
  readonly clientId?: string
}

/** The registered client and its secret. The secret is not stored and cannot be shown again. */
export interface RegisteredClient {
  readonly client: ClientRecord
  readonly clientSecret: string | undefined
}

/**
 * Registers a client (RFC 7591 §2). If it authenticates with a secret, creates one of 256 random bits, and stores only
 * its digest.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata; nothing was written.
 * @throws TypeError when the storage is bound to an invalid issuer: no server would ever find the client there.
 */
export async function registerClient(
  registration: ClientRegistration,
  deps: RegistrationDependencies,
): Promise<RegisteredClient> {
  checkOptions('registerClient', deps, registrationOptions)
  const register = await prepareClient(registration, { origin: 'administrator', selfManagement: undefined }, deps)
  return register()
}

/**
 * Checks a registration and writes nothing.
 * @returns a function that registers the client. It throws ClientMetadataError when the identifier is taken.
 * @throws ClientMetadataError and TypeError like `registerClient`.
 */
export async function prepareClient(
  registration: ClientRegistration,
  origin: Pick<ClientRecord, 'origin' | 'selfManagement'>,
  deps: RegistrationDependencies & SectorDependencies,
): Promise<() => Promise<RegisteredClient>> {
  parseIssuer(deps.storage.issuer)
  const { clientId: requestedId, ...metadata } = registration
  // RFC 6749 Appendix A.1.
  if (requestedId !== undefined && typeof requestedId !== 'string') throw invalidMetadata('clientId must be a string.')
  if (metadata.clientName === undefined) throw invalidMetadata('clientName is missing. It must be a string.')
  refuseMalformed(metadata, 'defaulted')
  const random = deps.random ?? systemRandom
  const now = (deps.clock ?? systemClock)()
  const record = { ...clientRecord(registration, { now, random, server: deps }), ...origin }
  // Client ID Metadata Document §3: such an identifier is the address of a document that the client publishes itself.
  if (record.clientId.startsWith('https://'))
    throw invalidMetadata(
      'client_id must not be an https URL. Such identifiers are for clients that publish their own metadata.',
    )
  refuseUnusable(record, { issuer: deps.storage.issuer, allowedOrigins: deps.dangerouslyAllowOutbound })
  refuseUnserved(record, registration, deps.clientRules)
  // A profile has a default of its own. The default RS256 is not checked, because it stands for the server's first algorithm.
  const { profile, idTokenSignedResponseAlg } = record
  refuseUnsignable({ ...registration, ...(profile !== 'standard' && { idTokenSignedResponseAlg }) }, deps.keys)
  await refuseForeignSector(record, undefined, deps)

  const clientSecret = usesSecret(record) ? randomSecret(random) : undefined
  const secrets = clientSecret === undefined ? [] : [await clientSecretRecord(clientSecret, now)]
  const client: ClientRecord = { ...record, secrets }
  // RFC 9700 §4.15: the `sub` of a client's own token must never equal the `sub` of a user.
  if ((await deps.storage.users.find(userId(client.clientId))) !== undefined)
    throw invalidMetadata('client_id is already the identifier of a user.')
  return async () => {
    const inserted = await deps.storage.clients.insert(client)
    // RFC 7591 §3.2.2.
    if (inserted.outcome === 'taken') throw invalidMetadata('client_id is already registered.')
    return { client, clientSecret }
  }
}

function clientRecord(
  registration: ClientRegistration,
  {
    now,
    random,
    server,
  }: { readonly now: EpochSeconds; readonly random: Random; readonly server: RegistrationDependencies },
): ClientRecord {
  const id = clientId(registration.clientId ?? randomIdentifier(random))
  return newClientRecord({ clientId: id, ...completeMetadata(registration, server) }, { origin: 'administrator', now })
}

/** Returns the record of a client that has no secret yet, and that nobody has changed. */
export const newClientRecord = (
  client: Pick<ClientRecord, 'clientId'> & ReturnType<typeof completeMetadata>,
  { origin, now }: { readonly origin: ClientRecord['origin']; readonly now: EpochSeconds },
): ClientRecord => ({
  ...client,
  secrets: [],
  origin,
  selfManagement: undefined,
  documentDigest: undefined,
  documentReadAt: undefined,
  agent: undefined,
  disabledAt: undefined,
  createdAt: now,
  version: 1,
})
