import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { ScimCaller } from '../authentication/scim-caller.ts'

/** A request of a provider that has proved who it is. */
export interface ScimCall {
  readonly request: ServerRequest
  readonly caller: ScimCaller
  /** The provider's SCIM Tenant URL, without a slash at its end. */
  readonly baseUrl: string
  /** The `id` in the address; empty for a collection. */
  readonly id: string
  readonly now: EpochSeconds
}

/** Answers one call. It throws what the router renders. */
export type ScimEndpoint = (call: ScimCall) => Promise<ServerResponse>

/** What answers at an address, by method in capitals. */
export type ScimMethods = Readonly<Record<string, ScimEndpoint>>

/** What is below one name: `/Users`, `/Users/{id}`, and addresses of its own such as `/Users/.search`. */
export interface ScimCollection {
  readonly collection: ScimMethods
  readonly member?: ScimMethods
  readonly named?: Readonly<Record<string, ScimMethods>>
}

/** The addresses of a server, by name in lower case. */
export type ScimRoutes = Readonly<Record<string, ScimCollection>>
