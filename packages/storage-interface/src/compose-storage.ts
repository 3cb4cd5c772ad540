import type { OAuthStorage } from './storage.ts'

/** The stores whose rows live for minutes: losing them makes users and clients try again, and loses no user. */
export type ExpiringStores = Pick<OAuthStorage, 'issuer' | ExpiringStoreName>

type ExpiringStoreName = 'codes' | 'interactions' | 'replays' | 'opaqueTokens'

/**
 * One storage made of two: what expires in the one, such as Redis, everything else in the other, such as SQL. No method of a store
 * uses both, so the storage keeps every law that its parts keep, and it has the capability of its durable part.
 * @param parts `durable` may be a whole storage: its stores of the expiring kinds are not used. What it purges stays its own; the
 * expiring part clears away what has expired by itself.
 * @throws TypeError when the two are bound to different issuers: codes of one issuer would create families of the other.
 */
export function composeStorage<Durable extends Omit<OAuthStorage, ExpiringStoreName>>(parts: {
  readonly durable: Durable
  readonly expiring: ExpiringStores
}): Durable & ExpiringStores {
  const { durable, expiring } = parts
  if (durable.issuer !== expiring.issuer) {
    throw new TypeError('The durable and the expiring stores are bound to different issuers.')
  }

  const { codes, interactions, replays, opaqueTokens } = expiring
  return { ...durable, codes, interactions, replays, opaqueTokens }
}
