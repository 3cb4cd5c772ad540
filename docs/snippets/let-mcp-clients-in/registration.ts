import { type AuthorizationServerOptions, createAuthorizationServer } from '@mintmark/core'
import { createRegistrationServer } from '@mintmark/registration'
import type { AdminStorage } from '@mintmark/storage-interface'

/** Mount both in your framework. */
export function createServers(options: AuthorizationServerOptions & { readonly storage: AdminStorage }) {
  const server = createAuthorizationServer(options)
  const { issuer, storage } = options
  return {
    server,
    registration: createRegistrationServer({ issuer, storage, openRegistration: server.openRegistration }),
  }
}
