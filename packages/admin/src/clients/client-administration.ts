import type { ClientRegistration } from '@mintmark/core'
import type { ClientChange, ClientTarget } from '@mintmark/core/internal'
import { clientId } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/audit.ts'
import { pageOf, type Page, type PageRequest } from '../page.ts'
import {
  addClientSecret,
  createClient,
  disableClient,
  enableClient,
  removeClient,
  revokePreviousClientSecrets,
  updateClient,
  type ClientAndSecret,
} from './client-changes.ts'
import { clientView, findClient, type ClientView } from './client-view.ts'

/**
 * Clients (RFC 7591 §2). Administrators cannot create, change, enable or remove a client whose administrative scope
 * values exceed their own: `beyond_own_scopes`. They can disable it and revoke its previous secrets. A method that
 * is refused throws AdminError and changes nothing.
 */
export interface ClientAdministration {
  /**
   * Registers a client. Its secret cannot be read again.
   * Refused: `invalid_redirect_uri`, `invalid_client_metadata`, `identifier_taken`.
   */
  create(registration: ClientRegistration): Promise<ClientAndSecret>
  /** Refused: `client_unknown`. All methods below except `list` can also be refused for this reason. */
  read(id: string): Promise<ClientView>
  /** Ordered by identifier. */
  list(page?: PageRequest): Promise<Page<ClientView>>
  /**
   * Changes a client. Members that are left out stay as they are. The changed client must satisfy the rules of
   * `create`. A client that starts to use a secret is given one. Refused: `version_mismatch`, and for the reasons of
   * `create`.
   */
  update(target: ClientTarget, change: ClientChange): Promise<ClientAndSecret>
  /** Disables a client: its requests and tokens are refused from now on. */
  disable(target: ClientTarget): Promise<ClientView>
  /**
   * Enables a client. Its unexpired tokens become valid again. Refused: `agent_owner_inactive` for an agent whose owner is not active, or
   * whose directory is disabled.
   */
  enable(target: ClientTarget): Promise<ClientView>
  /** Removes a client for good. Its identifier stays taken. */
  remove(target: ClientTarget): Promise<void>
  /**
   * Adds a secret. The current secret stays valid until `previousExpiresAt` (in seconds since 1970), or without a time
   * limit if `previousExpiresAt` is undefined. Returns the new secret, which cannot be read again.
   * Refused: `invalid_client_metadata` if the client has two secrets or uses none.
   */
  addSecret(id: string, change?: { readonly previousExpiresAt?: number | undefined }): Promise<string>
  /** Revokes all secrets except the newest. */
  revokePreviousSecrets(id: string): Promise<void>
}

export const administerClients = (context: AdminContext): ClientAdministration => ({
  create: (registration) => createClient(registration, context),
  read: async (id) => clientView(await findClient(id, context)),
  list: (page = {}) =>
    pageOf(page, {
      read: ({ after, limit }) =>
        context.storage.clients.list({ after: after === undefined ? undefined : clientId(after), limit }),
      key: (client) => client.clientId,
      view: clientView,
    }),
  update: (target, change) => updateClient(target, change, context),
  disable: (target) => disableClient(target, context),
  enable: (target) => enableClient(target, context),
  remove: (target) => removeClient(target, context),
  addSecret: (id, change = {}) => addClientSecret(id, change, context),
  revokePreviousSecrets: (id) => revokePreviousClientSecrets(id, context),
})
