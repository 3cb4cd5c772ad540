import {
  aFunction,
  checkOptions,
  randomIdentifier,
  required,
  systemClock,
  type Clock,
  type Random,
  aStorage,
} from '@mintmark/internal'
import {
  grantId,
  userId,
  type ClientId,
  type EpochSeconds,
  type GrantRecord,
  type JsonObject,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import type { SignedInUser } from '../sessions/signed-in-user.ts'
import type { ResourceRules } from '../permissions/resources.ts'
import { initiateLoginUrl } from '../clients/initiate-login.ts'
import { logoUrl } from '../clients/logo.ts'
import { unverifiedHost } from '../clients/unverified-host.ts'
import { isGrantActive } from '../permissions/status.ts'
import { addDecision, type GrantedOnPage } from './consent-per-api.ts'
import { isEqualJson } from '../permissions/detail-types.ts'

interface WithdrawConsentDependencies {
  readonly storage: OAuthStorage
  readonly rules: Pick<ResourceRules, 'resources' | 'identityScopes'>
}

interface SaveGrantDependencies extends WithdrawConsentDependencies {
  readonly random: Random
}

/** Scope values, the APIs that they are for, and authorization details whose type has `remembers`. */
interface ConsentScope {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly authorizationDetails: readonly JsonObject[]
}

/** A user's decision about a client. */
interface Consent extends ConsentScope, GrantedOnPage {
  readonly clientId: ClientId
  /** The client's `documentDigest`. */
  readonly clientDigest?: string | undefined
  readonly signedInUser: SignedInUser
  /** What the page showed. In an existing grant, the decision replaces this part (OIDC Core §3.1.2.4). */
  readonly shown: ConsentScope
}

/**
 * Records a user's consent in a new grant or in the existing grant of the user and the client. In an existing grant,
 * the decision replaces what the page showed. If the user decides about different scopes in two tabs at the same time,
 * one grant contains both decisions.
 * @returns `undefined` when the user was deactivated and reactivated after they were identified. This consent is then
 *   not recorded, and consent given after the reactivation stays.
 */
export async function saveGrant(
  consent: Consent,
  now: EpochSeconds,
  deps: SaveGrantDependencies,
): Promise<GrantRecord | undefined> {
  const newGrant: GrantRecord = {
    grantId: grantId(randomIdentifier(deps.random)),
    clientId: consent.clientId,
    userId: consent.signedInUser.user.userId,
    userGeneration: consent.signedInUser.user.generation,
    scopes: consent.scopes,
    resources: consent.resources,
    authorizationDetails: consent.authorizationDetails.slice(-maxDetails),
    clientDigest: consent.clientDigest,
    createdAt: now,
    revokedAt: undefined,
    version: 1,
  }
  const saved = await untilSettled(async () => {
    const inserted = await deps.storage.grants.insert(newGrant)
    if (inserted.outcome === 'inserted') return newGrant
    if (inserted.record.userGeneration > newGrant.userGeneration) return 'superseded'
    if (inserted.record.userGeneration === newGrant.userGeneration) return replaceShown(inserted.record, consent, deps)
    // Consent from an older generation of the user is no longer valid.
    await deps.storage.grants.revoke(inserted.record.grantId, now)
    return undefined
  })
  return saved === 'superseded' ? undefined : saved
}

/**
 * Changes a user's earlier consent: removes what the user has now denied, so that the next request asks the user again.
 * Tokens that were issued under the earlier consent stay valid: users revoke them by disconnecting the client.
 */
export async function withdrawConsent(
  denied: Pick<Consent, 'clientId' | 'signedInUser' | 'shown'>,
  deps: WithdrawConsentDependencies,
): Promise<void> {
  const { userId, generation } = denied.signedInUser.user
  await untilSettled(async () => {
    const grant = await deps.storage.grants.findUnrevoked(userId, denied.clientId)
    if (grant?.userGeneration !== generation) return 'absent'
    const { clientDigest } = grant
    const nothing = { scopes: [], resources: [], audience: 'apis', authorizationDetails: [] } as const
    return replaceShown(grant, { shown: denied.shown, ...nothing, clientDigest }, deps)
  })
}

/**
 * In an existing grant, replaces everything that the page showed with the part that the user granted. Removes all other
 * earlier consent if the client's `documentDigest` has changed. Returns `undefined` when the grant changed meanwhile.
 */
async function replaceShown(
  existing: GrantRecord,
  decision: ConsentScope & GrantedOnPage & Pick<Consent, 'shown' | 'clientDigest'>,
  { storage, rules }: WithdrawConsentDependencies,
): Promise<GrantRecord | undefined> {
  const { clientDigest } = decision
  const isSameClient = clientDigest === existing.clientDigest
  const keptOf = (member: 'scopes' | 'resources'): readonly string[] =>
    existing[member].filter(
      (value) => isSameClient && (!decision.shown[member].includes(value) || decision[member].includes(value)),
    )
  const kept = { scopes: keptOf('scopes'), resources: keptOf('resources') }
  const { scopes, resources } = addDecision({ before: existing, kept }, decision, rules)
  const authorizationDetails = isSameClient ? replaceDetails(existing, decision) : decision.authorizationDetails
  const isUnchanged =
    isSame(scopes, existing.scopes) &&
    isSame(resources, existing.resources) &&
    isEqualJson(authorizationDetails, existing.authorizationDetails)
  if (isSameClient && isUnchanged) return existing
  const { grantId, version } = existing
  const swapped = await storage.grants.replaceConsent({
    grantId,
    scopes,
    resources,
    authorizationDetails,
    clientDigest,
    version,
  })
  return swapped.outcome === 'swapped' ? swapped.record : undefined
}

function replaceDetails(
  { authorizationDetails: existing }: GrantRecord,
  { shown, authorizationDetails: granted }: ConsentScope & Pick<Consent, 'shown'>,
): readonly JsonObject[] {
  const kept = existing.filter(
    (detail) => !includesDetail(detail, shown.authorizationDetails) || includesDetail(detail, granted),
  )
  const added = granted.filter((detail) => !includesDetail(detail, kept))
  return [...kept, ...added].slice(-maxDetails)
}

const includesDetail = (detail: JsonObject, list: readonly JsonObject[]): boolean =>
  list.some((one) => isEqualJson(one, detail))

/**
 * The maximum number of details that a grant remembers. The limit keeps a client from enlarging the row of a grant
 * indefinitely. Beyond it, the oldest details are dropped, and the user is asked about them again.
 */
const maxDetails = 64

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

/** A client with access to a user's account, for an account page. */
interface ConnectedApp {
  /** Identifies the grant; it is not a credential. */
  readonly grantId: string
  readonly clientId: string
  readonly clientName: string
  /** Show it before the name: it identifies a client whose name nobody has verified. */
  readonly unverifiedHost: string | undefined
  /** The address of the logo at the server; `undefined` without a logo, or if nobody has verified it (RFC 7591 §5). */
  readonly logoUrl: string | undefined
  readonly scopes: readonly string[]
  /** The APIs that the user consented to, by their identifiers. */
  readonly resources: readonly string[]
  readonly since: EpochSeconds
  /** Opens the client, signed in; `undefined` unless it has registered an `initiate_login_uri` (OIDC Core §4). */
  readonly initiateLoginUrl: string | undefined
}

/** Lists and disconnects the clients with access to a user's account. */
interface ConnectedApps {
  /**
   * Lists the user's active grants, newest first. Leaves out grants of disabled or deleted clients, and grants from
   * before a deactivation.
   */
  list(subject: string): Promise<readonly ConnectedApp[]>
  /**
   * Revokes a grant: the consent and every token issued under it, at once.
   * @returns `absent` when the user has no such grant.
   */
  disconnect(subject: string, grant: string): Promise<'revoked' | 'absent'>
}

/** Creates what an account page needs to list and disconnect the clients with access to a user's account. */
export function createConnectedApps(deps: { readonly storage: OAuthStorage; readonly clock?: Clock }): ConnectedApps {
  checkOptions('createConnectedApps', deps, { storage: required(aStorage), clock: aFunction })
  const { storage } = deps
  const clock = deps.clock ?? systemClock

  return {
    async list(subject) {
      const grants = await storage.grants.listByUser(userId(subject))
      const statuses = await Promise.all(grants.map((grant) => storage.status.ofGrant(grant.grantId)))
      const active = statuses.filter(isGrantActive)
      const clients = await Promise.all(active.map(({ client }) => storage.clients.find(client.clientId)))
      return active.flatMap(({ grant }, index) => {
        const client = clients[index]
        // The client was removed after the status was read.
        if (client === undefined) return []
        const { grantId: id, clientId, scopes, resources, createdAt: since } = grant
        const { clientName } = client
        const shown = {
          clientName,
          unverifiedHost: unverifiedHost(client),
          logoUrl: logoUrl(storage.issuer, client),
        }
        const app = { grantId: id, clientId, ...shown, scopes, resources, since }
        return [{ ...app, initiateLoginUrl: initiateLoginUrl(client, storage.issuer) }]
      })
    },
    async disconnect(subject, grant) {
      const own = await storage.grants.listByUser(userId(subject))
      // Another user's grant is treated as absent.
      if (own.every(({ grantId: id }) => id !== grant)) return 'absent'
      const revoked = await storage.grants.revoke(grantId(grant), clock())
      return revoked.outcome === 'absent' ? 'absent' : 'revoked'
    },
  }
}
