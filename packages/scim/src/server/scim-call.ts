import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { ScimCaller } from '../providers/authenticate-provider.ts'

/** A request of an authenticated provider. */
export interface ScimCall {
  readonly request: ServerRequest
  readonly caller: ScimCaller
  /** The provider's SCIM tenant URL, without a trailing slash. */
  readonly baseUrl: string
  /** The `id` in the URL; empty for a collection. */
  readonly id: string
  readonly now: EpochSeconds
}

/** Handles a request. It throws refusals, which the router renders. */
export type ScimEndpoint = (call: ScimCall) => Promise<ServerResponse>

/** The endpoints of a URL, by upper-case method. */
export type ScimMethods = Readonly<Record<string, ScimEndpoint>>

/** The endpoints below one name: `/Users`, `/Users/{id}`, and others such as `/Users/.search`. */
export interface ScimCollection {
  readonly collection: ScimMethods
  readonly member?: ScimMethods
  readonly named?: Readonly<Record<string, ScimMethods>>
}

/** The collections of a server, by lower-case name. */
export type ScimRoutes = Readonly<Record<string, ScimCollection>>
