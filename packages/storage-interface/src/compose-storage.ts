import type { Storage } from './storage.ts'

/** The stores of what lives for minutes: losing them costs people a new attempt, never an account. */
export type ExpiringStores = Pick<Storage, 'issuer' | ExpiringStoreName>

/** The stores of what must outlive any restart. */
export type DurableStores = Omit<Storage, ExpiringStoreName>

type ExpiringStoreName = 'codes' | 'interactions' | 'replays' | 'opaqueTokens'

/**
 * One storage of two: what expires in the one, such as Redis, everything else in the other, such as SQL. No method of a
 * store spans both, so nothing that a single store promises is lost.
 * @param parts `durable` may be a whole storage: what it holds of the expiring kinds is left alone.
 * @throws TypeError when the two are bound to different issuers: codes of one would found families of the other.
 */
export function composeStorage(parts: { readonly durable: DurableStores; readonly expiring: ExpiringStores }): Storage {
  const { durable, expiring } = parts
  if (durable.issuer !== expiring.issuer) {
    throw new TypeError('The durable and the expiring stores are bound to different issuers.')
  }

  return {
    issuer: durable.issuer,
    clients: durable.clients,
    users: durable.users,
    grants: durable.grants,
    codes: expiring.codes,
    families: durable.families,
    opaqueTokens: expiring.opaqueTokens,
    interactions: expiring.interactions,
    sessions: durable.sessions,
    signingKeys: durable.signingKeys,
    replays: expiring.replays,
    identityProviders: durable.identityProviders,
    provisionedUsers: durable.provisionedUsers,
    groups: durable.groups,
    organizations: durable.organizations,
    logs: durable.logs,
    // With what ends: an ending is written where it happens.
    revocations: durable.revocations,
    status: durable.status,
    // What expires in the other part goes by itself, or is that part's business.
    purge: durable.purge,
  }
}
