import type { StoredKeyRing } from '@mintmark/core'
import { clientRules, type ClientRules, signingAlgorithms } from '@mintmark/core/internal'
import {
  createJournal,
  type Clock,
  type Journal,
  type Random,
  randomIdentifier,
  aFunction,
  anObjectWith,
  aListOfStrings,
  aStringMatching,
  checkOptions,
  listOf,
  type OptionChecks,
  optionsOf,
  required,
  systemClock,
  systemRandom,
  aStorage,
} from '@mintmark/internal'
import { seconds, type EpochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import { administerAgents, type AgentAdministration } from './agents/agent-administration.ts'
import type { AdminContext, AdminDependencies, AdministrationKeys, ProvisioningToAdminister } from './audit/audit.ts'
import { type Actor, type AdminEvent, type AdminOccurrence, reportAdminFaults } from './audit/admin-event.ts'
import {
  adminLog,
  aRetention,
  type AuditFilter,
  createAuditLog,
  type LogEntryView,
  searchLog,
} from './audit/audit-log.ts'
import { administerClients, type ClientAdministration } from './clients/client-administration.ts'
import {
  administerInitialAccessTokens,
  type InitialAccessTokenAdministration,
} from './clients/initial-access-tokens.ts'
import { customField, readCustomFields, type CustomField } from './custom-fields/custom-field.ts'
import { administerDeliveries, type DeliveryAdministration } from './deliveries/delivery-administration.ts'
import { administerGrants, type GrantAdministration } from './grants/grant-administration.ts'
import {
  administerOrganizations,
  type OrganizationAdministration,
} from './organizations/organization-administration.ts'
import { refuse } from './error/refusals.ts'
import type { Page, PageRequest } from './page.ts'
import { administerProviders, type ProviderAdministration } from './providers/provider-administration.ts'
import { administerSessions, type SessionAdministration } from './sessions/session-administration.ts'
import {
  lastAdministratorOptions,
  lastAdministrators,
  type LastAdministratorOptions,
} from './last-administrators/last-administrators.ts'
import { administerTargets, type TargetAdministration } from './targets/target-administration.ts'
import { administerWebhooks, type WebhookAdministration } from './webhooks/webhook-administration.ts'
import { administerUsers, type UserAdministration } from './users/user-administration.ts'
import { userTypeWithFields } from './last-administrators/user-filter.ts'

/** The options of `createAdministration`. Only `storage` is required. */
export interface AdministrationOptions {
  /** The storage that the authorization server and the SCIM server use. */
  readonly storage: AdminStorage
  /**
   * The server's key ring. It is required to create webhooks, because it seals their secrets. With it, a client whose
   * algorithm the server cannot sign with is refused.
   * @defaultValue None. A client can then be registered with an algorithm that the server cannot sign with. Such a
   *   client gets no ID token.
   */
  readonly keys?: AdministrationKeys
  /**
   * The origins that the server's option of the same name allows, so that administrators can register URLs with them.
   * @defaultValue None. URLs must use https, a public host name and the default port.
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
  /**
   * Sends the requests for documents at `sectorIdentifierUri` of clients: the same as the server's. It must reach only
   * public addresses.
   * @defaultValue As in the server. On Node.js, requests to addresses that are not public are refused.
   */
  readonly fetch?: typeof globalThis.fetch
  /**
   * The rules of the server for its clients: `server.clientRules`. With it, a client that the server would not accept
   * is refused.
   * @defaultValue None. Scope values and resources are not compared with those of the server.
   */
  readonly clientRules?: ClientRules
  /**
   * The host's own data about users, in addition to the claims of OpenID Connect.
   * @defaultValue None. Users have only the claims of OpenID Connect.
   */
  readonly customFields?: readonly CustomField[]
  /**
   * Protects the last administrators from being removed.
   * @defaultValue Nobody is protected. Only the host knows which roles make a user an administrator.
   */
  readonly lastAdministrators?: LastAdministratorOptions
  /**
   * The partners that get users and groups: the value of `createProvisioning`. It is required for every action on them.
   * @defaultValue None. Every action on a target is refused: only the host knows what partners may get.
   */
  readonly provisioning?: ProvisioningToAdminister
  /**
   * How long audit log entries are kept, in seconds, at most 3153600000 (a hundred years).
   * @defaultValue 34560000, 400 days. A yearly review then covers the whole year.
   */
  readonly auditRetention?: number
  /**
   * The path below the issuer at which `createDirectorySetup` of the console serves its page. Set-up links begin with it.
   * @defaultValue `/directory-setup`. It says what the page is for.
   */
  readonly setupPath?: string
  /**
   * Called for every action that was performed or refused.
   * @defaultValue Writes internal failures and missing log entries to the console. Everything else is in the audit log.
   */
  readonly onEvent?: (event: AdminEvent) => void | Promise<void>
  readonly clock?: Clock
  readonly random?: Random
}

/** Returned by `createAdministration`. */
export interface Administrations {
  /** Returns the administration for an actor, who appears in events and in the audit log. */
  as(actor: Actor): Administration
}

/** The actions of an administrator, grouped by the kind of record. */
export interface Administration {
  readonly clients: ClientAdministration
  /** Permissions to register clients (RFC 7591). */
  readonly initialAccessTokens: InitialAccessTokenAdministration
  readonly identityProviders: ProviderAdministration
  /** Agents that directories provision for their users. */
  readonly agents: AgentAdministration
  readonly users: UserAdministration
  readonly organizations: OrganizationAdministration
  readonly grants: GrantAdministration
  readonly sessions: SessionAdministration
  /** Messages to clients, such as logout tokens. */
  readonly deliveries: DeliveryAdministration
  /** The signing keys, oldest first, without their private halves. Refused: `keys_missing`. */
  readonly keys: { list(): ReturnType<StoredKeyRing['list']> }
  /** Endpoints of the host to which changes are sent. */
  readonly webhooks: WebhookAdministration
  /** Partners whose SCIM services get users and groups. */
  readonly targets: TargetAdministration
  /**
   * Lists the actions of administrators, newest first. Each action has two entries: its intention and its outcome. With
   * a filter, a page may have fewer entries than `limit`, or none, although it has a `next`.
   */
  readonly audit: { list(page?: PageRequest & AuditFilter): Promise<Page<LogEntryView>> }
}

/**
 * Creates the administration of one issuer: clients, identity providers, users, organizations, grants, sessions and
 * deliveries.
 * @throws TypeError if the declaration of a custom field is invalid; ScimError `invalidFilter` if the filter of
 * administrators is invalid.
 */
export function createAdministration(options: AdministrationOptions): Administrations {
  checkOptions('createAdministration', options, administrationOptions)
  const { journal, ...deps } = administrationParts(options)
  return {
    as: (actor) =>
      administer({
        ...deps,
        actor,
        record: (occurrence) => journal.recordWithoutRequest(occurrence),
        mayGrant: () => true,
      }),
  }
}

export const administrationOptions: OptionChecks<AdministrationOptions> = {
  storage: required(aStorage),
  keys: signingAlgorithms,
  dangerouslyAllowOutbound: aListOfStrings,
  fetch: aFunction,
  clientRules,
  customFields: listOf(customField),
  lastAdministrators: optionsOf(lastAdministratorOptions),
  provisioning: anObjectWith('compare', 'synchronize'),
  auditRetention: aRetention,
  setupPath: aStringMatching(
    /^(?:\/[A-Za-z0-9._~-]+)+$/,
    'must be a path such as /directory-setup, without a slash at the end',
  ),
  onEvent: aFunction,
  clock: aFunction,
  random: aFunction,
}

/** Creates the dependencies of administration and the journal that receives its events. */
export function administrationParts(
  options: AdministrationOptions,
): AdminDependencies & { readonly journal: Journal<AdminOccurrence> } {
  const { storage, keys, clock = systemClock, random = systemRandom } = options
  requireStores(storage, { capability: 'admin', feature: 'Administration' })
  const customFields = readCustomFields(options.customFields ?? [])
  const userType = userTypeWithFields(customFields)
  return {
    storage,
    clock,
    random,
    keys,
    dangerouslyAllowOutbound: options.dangerouslyAllowOutbound,
    fetch: options.fetch,
    clientRules: options.clientRules,
    customFields,
    userType,
    lastAdministrators: lastAdministrators(options.lastAdministrators ?? {}, userType),
    provisioning: options.provisioning,
    setupPath: options.setupPath ?? '/directory-setup',
    auditLog: createAuditLog({ storage, clock, random, retention: seconds(options.auditRetention ?? 34_560_000) }),
    journal: createJournal<AdminOccurrence, EpochSeconds>(options.onEvent ?? reportAdminFaults(console), {
      clock,
      newIdentifier: () => randomIdentifier(random),
    }),
  }
}

export const administer = (context: AdminContext): Administration => ({
  clients: administerClients(context),
  initialAccessTokens: administerInitialAccessTokens(context),
  identityProviders: administerProviders(context),
  agents: administerAgents(context),
  users: administerUsers(context),
  organizations: administerOrganizations(context),
  grants: administerGrants(context),
  sessions: administerSessions(context),
  deliveries: administerDeliveries(context),
  keys: {
    async list() {
      // RFC 9110 §15.5.10: the host has not passed a key ring that lists its keys.
      if (context.keys?.list === undefined) throw refuse('keys_missing')
      return context.keys.list()
    },
  },
  webhooks: administerWebhooks(context),
  targets: administerTargets(context),
  audit: {
    list: ({ after, limit, ...filter } = {}) => searchLog({ log: adminLog, filter, page: { after, limit } }, context),
  },
})
