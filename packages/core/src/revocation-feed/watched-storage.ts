import type { EpochSeconds, ProvisionOutcome, Storage, UserRecord } from '@mintmark/storage-interface'

import {
  endedAccount,
  endedClient,
  endedFamily,
  endedGeneration,
  endedGrant,
  endedToken,
  revivedClient,
  type Ending,
} from './ending.ts'

/** Where endings go, and until when each is to be remembered. */
export interface EndingWatch {
  publish(ending: Ending): void
  /** When no token that is issued up to now can be alive any more. */
  until(): EpochSeconds
}

/**
 * The same storage, telling what it ends. First it is written, and then told: what is told has happened. A verb that fails
 * tells nothing; callers repeat it, and what was so before is told again.
 */
export function watchedStorage(storage: Storage, watch: EndingWatch): Storage {
  return overlaid(storage, {
    clients: watchedClients(storage, watch),
    users: watchedUsers(storage, watch),
    provisionedUsers: watchedProvisionedUsers(storage, watch),
    grants: watchedGrants(storage, watch),
    families: watchedFamilies(storage, watch),
    claims: watchedClaims(storage, watch),
  })
}

const watchedClients = ({ clients }: Storage, watch: EndingWatch): Storage['clients'] =>
  overlaid(clients, {
    async compareAndSwap(client, version) {
      const result = await clients.compareAndSwap(client, version)
      if (result.outcome !== 'swapped') return result
      const { clientId, disabledAt } = result.record
      watch.publish(disabledAt === undefined ? revivedClient(clientId) : endedClient(clientId, watch.until()))
      return result
    },
    async remove(clientId, now) {
      const result = await clients.remove(clientId, now)
      if (result.outcome === 'removed') watch.publish(endedClient(clientId, watch.until()))
      return result
    },
  })

const watchedUsers = ({ users }: Storage, watch: EndingWatch): Storage['users'] =>
  overlaid(users, {
    async deactivate(userId, now) {
      const result = await users.deactivate(userId, now)
      if (result.outcome !== 'absent') await publishInactive(result.record, watch)
      return result
    },
    async remove(userId, now) {
      const result = await users.remove(userId, now)
      if (result.outcome === 'removed') watch.publish(await endedAccount(userId, watch.until()))
      return result
    },
  })

function watchedProvisionedUsers({ provisionedUsers, users }: Storage, watch: EndingWatch): Storage['provisionedUsers'] {
  const publishSwap = async (result: ProvisionOutcome): Promise<ProvisionOutcome> => {
    if (result.outcome === 'swapped' && !result.record.active) await publishInactive(result.record, watch)
    return result
  }
  return overlaid(provisionedUsers, {
    compareAndSwap: async (change) => publishSwap(await provisionedUsers.compareAndSwap(change)),
    adopt: async (change) => publishSwap(await provisionedUsers.adopt(change)),
    async release(request) {
      const before = await users.find(request.userId)
      const result = await provisionedUsers.release(request)
      if (result.outcome !== 'removed' || before === undefined) return result
      // The answer does not say which generation the write has ended: one of those that have passed since.
      const after = await users.find(request.userId)
      for (let { generation } = before; generation < (after?.generation ?? generation + 1); generation += 1) {
        watch.publish(await endedGeneration({ userId: request.userId, generation }, watch.until()))
      }
      return result
    },
    async remove(request) {
      const result = await provisionedUsers.remove(request)
      if (result.outcome === 'removed') watch.publish(await endedAccount(request.userId, watch.until()))
      return result
    },
  })
}

const watchedGrants = ({ grants }: Storage, watch: EndingWatch): Storage['grants'] =>
  overlaid(grants, {
    async revoke(grantId, now) {
      const result = await grants.revoke(grantId, now)
      if (result.outcome !== 'absent') watch.publish(endedGrant(grantId, watch.until()))
      return result
    },
  })

const watchedFamilies = ({ families }: Storage, watch: EndingWatch): Storage['families'] =>
  overlaid(families, {
    async rotate(request) {
      const result = await families.rotate(request)
      if (result.outcome === 'reused') watch.publish(endedFamily(result.record.familyId, watch.until()))
      return result
    },
    async revoke(familyId, now) {
      const result = await families.revoke(familyId, now)
      if (result.outcome !== 'absent') watch.publish(endedFamily(familyId, watch.until()))
      return result
    },
    async bury(family, now) {
      await families.bury(family, now)
      watch.publish(endedFamily(family.familyId, watch.until()))
    },
  })

const watchedClaims = ({ claims }: Storage, watch: EndingWatch): Storage['claims'] =>
  overlaid(claims, {
    async claim(claim) {
      const result = await claims.claim(claim)
      if (claim.purpose === 'revoked_jti') watch.publish(endedToken(claim.value, watch.until()))
      return result
    },
  })

/** An account that is not active has ended the generation before its own. */
async function publishInactive({ userId, generation }: UserRecord, watch: EndingWatch): Promise<void> {
  watch.publish(await endedGeneration({ userId, generation: generation - 1 }, watch.until()))
}

/** The object with some members in place of its own. Everything else is the object's, also what it may gain later. */
function overlaid<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get(own, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      const member: unknown = Reflect.get(own, name)
      return typeof member === 'function' ? (member.bind(own) as unknown) : member
    },
  })
}
