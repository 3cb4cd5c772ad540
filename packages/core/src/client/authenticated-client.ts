import type { Brand, ClientRecord } from '@mintmark/storage-interface'

/** A client that proved who it is by its registered method, or a public client that named itself. Only `authenticateClient` makes it. */
export type AuthenticatedClient = Brand<ClientRecord, 'AuthenticatedClient'>
