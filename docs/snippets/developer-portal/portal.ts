import { createAdministration } from '@mintmark/admin'
import type { ServerEvent } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'

/** Your table: which partner owns which client. */
export interface PartnerClients {
  add(partnerId: string, clientId: string): Promise<void>
  has(partnerId: string, clientId: string): Promise<boolean>
}

/** A developer of a partner, whom your own session has authenticated. */
export interface Developer {
  readonly userId: string
  readonly partnerId: string
}

/** What partners may do with their own clients. What they may ask for is your decision, not theirs. */
export function createPortal(storage: AdminStorage, partnerClients: PartnerClients) {
  const administrations = createAdministration({ storage })
  /** Returns the client functions for a client of this partner. The audit log names the developer. */
  const clientsOf = async ({ userId, partnerId }: Developer, clientId: string) => {
    if (!(await partnerClients.has(partnerId, clientId))) throw new Error('The partner has no such client.')
    return administrations.as({ kind: 'person', id: userId }).clients
  }

  return {
    /** Returns the secret, which the page shows once. */
    async create(developer: Developer, { clientName, redirectUris }: { clientName: string; redirectUris: string[] }) {
      const { clients } = administrations.as({ kind: 'person', id: developer.userId })
      const { client, clientSecret } = await clients.create({
        clientName,
        redirectUris,
        grantTypes: ['authorization_code', 'refresh_token'],
        scopes: ['openid', 'profile', 'offline_access', 'orders.read'],
        requirePkce: true,
      })
      await partnerClients.add(developer.partnerId, client.clientId)
      return { clientId: client.clientId, clientSecret }
    },
    read: async (developer: Developer, id: string) => (await clientsOf(developer, id)).read(id),
    setRedirectUris: async (developer: Developer, id: string, redirectUris: string[]) =>
      (await clientsOf(developer, id)).update({ clientId: id }, { redirectUris }),
    /** The old secret works for another week, so that the partner can change over. */
    rotateSecret: async (developer: Developer, id: string) =>
      (await clientsOf(developer, id)).addSecret(id, { previousExpiresAt: Math.floor(Date.now() / 1000) + 604_800 }),
    revokeOldSecret: async (developer: Developer, id: string) =>
      (await clientsOf(developer, id)).revokePreviousSecrets(id),
  }
}

/** Keeps the last refusals of each client in memory. With several nodes, write them to a table. */
export function keepRefusals() {
  const refusals = new Map<string, readonly ServerEvent[]>()
  return {
    /** Call it in `onEvent`. */
    add(event: ServerEvent) {
      const clientId = event.type === 'request.refused' ? event.context.clientId : undefined
      // Anybody can send requests in the name of clients that do not exist.
      if (clientId === undefined || (refusals.size >= 1000 && !refusals.has(clientId))) return
      refusals.set(clientId, [event, ...(refusals.get(clientId) ?? [])].slice(0, 20))
    },
    of: (clientId: string) => refusals.get(clientId) ?? [],
  }
}
