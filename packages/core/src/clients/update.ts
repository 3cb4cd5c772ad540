import {
  aNonEmptyString,
  checkOptions,
  randomSecret,
  required,
  systemClock,
  systemRandom,
  type Clock,
  type Random,
  wholeNumber,
} from '@mintmark/internal'
import {
  clientId,
  type ClientRecord,
  type EpochSeconds,
  type JsonObject,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { type RegistrationDependencies, registrationOptions } from './registration-options.ts'
import { usesSecret, type ClearableChange, type DefaultedMetadata, type RequiredMetadata } from './metadata.ts'
import { refuseMalformed, refuseUnserved, refuseUnsignable, refuseUnusable } from './check-metadata.ts'
import { consentDigest } from './document-metadata.ts'
import { refuseForeignSector, type SectorDependencies } from './sector.ts'
import { clientSecretRecord } from './secrets.ts'

/** A change to a client. Members that are left out keep their values; `undefined` removes an optional member. */
export interface ClientChange extends Partial<RequiredMetadata>, DefaultedMetadata, ClearableChange {}

/** The client to change. With a version, the result is `conflict` if the client now has another version. */
export interface ClientTarget {
  readonly clientId: string
  readonly version?: number | undefined
}

/** The client that changes itself, with its new permission to do so; by default, it keeps the one that it has. */
interface OwnRegistration extends ClientTarget {
  readonly selfManagement?: JsonObject
}

/** `updated` contains the new secret when the change creates one. It is not stored and cannot be shown again. */
export type ClientUpdate =
  | {
      readonly outcome: 'updated'
      readonly before: ClientRecord
      readonly client: ClientRecord
      readonly clientSecret: string | undefined
    }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'conflict' }

/**
 * Changes a client. The client that results from the change is validated (RFC 7592 §2.2). A change of authentication
 * method removes secrets that are no longer used, or creates one. After that, a client that registered itself
 * can no longer change its own registration, because it could undo the change.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata; nothing was written.
 */
export const updateClient = async (
  target: ClientTarget,
  change: ClientChange,
  deps: RegistrationDependencies,
): Promise<ClientUpdate> => {
  // With a misspelled `version`, the change would overwrite the change of another administrator.
  checkOptions('updateClient', target, { clientId: required(aNonEmptyString), version: wholeNumber(1) })
  checkOptions('updateClient', deps, registrationOptions)
  return changeClient(target, { change, isSelfUpdate: false }, deps)
}

/**
 * Changes a client like `updateClient`, at the request of the client itself (RFC 7592 §2.2), which can then change its
 * registration again. Users are asked for consent again when the name, a redirect host, the authentication method or a
 * key changes.
 * @throws ClientMetadataError like `updateClient`.
 */
export const updateOwnRegistration = async (
  target: OwnRegistration,
  change: ClientChange,
  deps: RegistrationDependencies & SectorDependencies,
): Promise<ClientUpdate> =>
  changeClient(target, { change, isSelfUpdate: true, selfManagement: target.selfManagement }, deps)

async function changeClient(
  target: ClientTarget,
  {
    change,
    isSelfUpdate,
    selfManagement,
  }: {
    readonly change: ClientChange
    readonly isSelfUpdate: boolean
    readonly selfManagement?: JsonObject | undefined
  },
  deps: RegistrationDependencies & SectorDependencies,
): Promise<ClientUpdate> {
  const now = (deps.clock ?? systemClock)()
  refuseMalformed(change, 'clearable')
  return swapClient(target, deps.storage, async (client) => {
    refuseUnsignable(change, deps.keys, client)
    const permission = isSelfUpdate ? (selfManagement ?? client.selfManagement) : undefined
    const changed: ClientRecord = { ...client, ...change, selfManagement: permission }
    refuseUnusable(changed, { issuer: deps.storage.issuer, allowedOrigins: deps.dangerouslyAllowOutbound })
    await refuseForeignSector(changed, client, deps)
    refuseUnserved(changed, change, deps.clientRules)
    const updated = isSelfUpdate ? await withConsentDigest(changed, client) : changed
    return withRequiredSecrets(updated, now, deps.random ?? systemRandom)
  })
}

/** Marks the client so that users are asked for consent again if it now presents itself differently (RFC 7591 §5). */
async function withConsentDigest(changed: ClientRecord, before: ClientRecord): Promise<ClientRecord> {
  const [digest, previousDigest] = await Promise.all([consentDigest(changed), consentDigest(before)])
  return digest === previousDigest ? changed : { ...changed, documentDigest: digest }
}

/**
 * Disables a client: its credentials, codes and tokens are rejected from now on. If the client is already disabled,
 * `disabledAt` does not change. The directory of an agent cannot enable it then.
 */
export const disableClient = (
  target: ClientTarget,
  deps: { readonly storage: OAuthStorage; readonly clock?: Clock },
): Promise<ClientUpdate> => {
  const now = (deps.clock ?? systemClock)()
  return swapClient(target, deps.storage, (client) =>
    withoutNewSecret({ ...client, disabledAt: client.disabledAt ?? now, agent: withoutEnd(client) }),
  )
}

/**
 * Enables a client again: tokens that were issued to it and have not expired are accepted again. An agent stays disabled unless its
 * owner is active and its directory is enabled.
 */
export const enableClient = (target: ClientTarget, deps: { readonly storage: OAuthStorage }): Promise<ClientUpdate> =>
  swapClient(target, deps.storage, (client) =>
    withoutNewSecret({ ...client, disabledAt: undefined, agent: withoutEnd(client) }),
  )

/** Returns what makes the client an agent, as it is while no directory has ended it. */
const withoutEnd = ({ agent }: ClientRecord): ClientRecord['agent'] => agent && { ...agent, endedAt: undefined }

interface ChangedClient {
  readonly client: ClientRecord
  readonly clientSecret: string | undefined
}

const withoutNewSecret = async (client: ClientRecord): Promise<ChangedClient> => ({ client, clientSecret: undefined })

async function withRequiredSecrets(client: ClientRecord, now: EpochSeconds, random: Random): Promise<ChangedClient> {
  if (!usesSecret(client)) return { client: { ...client, secrets: [] }, clientSecret: undefined }
  if (client.secrets.length > 0) return { client, clientSecret: undefined }
  const clientSecret = randomSecret(random)
  return { client: { ...client, secrets: [await clientSecretRecord(clientSecret, now)] }, clientSecret }
}

function swapClient(
  { clientId: id, version }: ClientTarget,
  storage: OAuthStorage,
  change: (client: ClientRecord) => Promise<ChangedClient>,
): Promise<ClientUpdate> {
  return untilSettled<ClientUpdate>(async () => {
    const before = await storage.clients.find(clientId(id))
    if (before === undefined) return { outcome: 'absent' }
    if (version !== undefined && version !== before.version) return { outcome: 'conflict' }
    const { client, clientSecret } = await change(before)
    const swapped = await storage.clients.compareAndSwap(client, before.version)
    // On a conflict, another administrator was faster; the change is then applied to the new version.
    return swapped.outcome === 'swapped'
      ? { outcome: 'updated', before, client: swapped.record, clientSecret }
      : undefined
  })
}
