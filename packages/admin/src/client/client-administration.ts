import type { ClientChange, ClientRegistration, ClientTarget } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { pageOf, type Page, type PageRequest } from '../page/page.ts'
import { addSecret, endPreviousSecrets } from './client-secret-acts.ts'
import { clientView, type ClientView } from './client-view.ts'
import { createClient, disable, enable, removeClient, update, type UpdatedClient } from './client-acts.ts'
import { findClient } from './find-client.ts'

/**
 * Clients (RFC 7591 §2). Nobody gives a client, or takes one over that has, scope values of administration that they do not
 * have themselves: `beyond_own_scopes`. Nobody registers themselves: only who administers does. Each method throws
 * AdminError; what it names was then not done.
 */
export interface ClientAdministration {
  /** The secret is seen here alone. Refused: `invalid_redirect_uri`, `invalid_client_metadata`, `identifier_taken`. */
  create(registration: ClientRegistration): Promise<UpdatedClient>
  /** Refused: `client_unknown`, here and below. */
  read(id: string): Promise<ClientView>
  /** In the order of their identifiers. */
  list(page?: PageRequest): Promise<Page<ClientView>>
  /**
   * What is left out stays; the client is held to the rules as it would be afterwards. A client that needs a secret
   * from then on is given one.
   * Refused also: `version_mismatch`, and as at `create`.
   */
  update(target: ClientTarget, change: ClientChange): Promise<UpdatedClient>
  /** From now on nothing of the client's is honoured. */
  disable(target: ClientTarget): Promise<ClientView>
  /** What was issued to it and has not expired is honoured again. */
  enable(target: ClientTarget): Promise<ClientView>
  /** For good: its identifier stays taken. */
  remove(target: ClientTarget): Promise<void>
  /**
   * Another secret beside the one in use, which ends at `previousExpiresAt` (seconds since 1970), if given.
   * @returns the secret, which is seen here alone. Refused: `invalid_client_metadata` when it has two already, or uses
   * none.
   */
  addSecret(id: string, change?: { readonly previousExpiresAt?: number | undefined }): Promise<string>
  /** Ends all its secrets but the newest, at once. */
  endPreviousSecrets(id: string): Promise<void>
}

export const administerClients = (acting: AdminContext): ClientAdministration => ({
  create: (registration) => createClient(registration, acting),
  read: async (id) => clientView(await findClient(id, acting)),
  list: (page = {}) =>
    pageOf(page, {
      read: ({ after, limit }) =>
        acting.storage.clients.list({ after: after === undefined ? undefined : clientId(after), limit }),
      key: (client) => client.clientId,
      view: clientView,
    }),
  update: (target, change) => update(target, change, acting),
  disable: (target) => disable(target, acting),
  enable: (target) => enable(target, acting),
  remove: (target) => removeClient(target, acting),
  addSecret: (id, change = {}) => addSecret(id, change, acting),
  endPreviousSecrets: (id) => endPreviousSecrets(id, acting),
})
