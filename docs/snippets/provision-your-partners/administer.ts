import { createAdminServer } from '@mintmark/admin'
import type { AuthorizationServer } from '@mintmark/core'
import type { Provisioning } from '@mintmark/provisioning'
import type { AdminStorage } from '@mintmark/storage-interface'

/** Creates an administration API with the partners. */
export const adminServer = (storage: AdminStorage, server: AuthorizationServer, provisioning: Provisioning) =>
  createAdminServer({ issuer: storage.issuer, storage, accessTokens: server, provisioning })
