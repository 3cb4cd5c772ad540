import type { z } from 'zod'

import type { Administration } from '../administration.ts'
import type { AdminAccess, AdminArea } from './admin-scopes.ts'
import type { AdminCaller } from './authenticate-administrator.ts'

/** A parsed request of an authenticated administrator. */
export interface AdminCall<Query, Body> {
  readonly admin: Administration
  readonly caller: AdminCaller
  /** Returns a decoded part of the path. */
  readonly part: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** The version in `If-Match`; undefined for any. */
  readonly version: number | undefined
}

/** The response of an endpoint, before it is serialized. */
export interface AdminAnswer {
  /** With camelCase names, which `toWire` converts; undefined for no body. */
  readonly body?: object | undefined
  /** The version for the `ETag`. */
  readonly version?: number | undefined
  /** The path of a created record, relative to the base URL. */
  readonly location?: string | undefined
}

/** An endpoint, and its description in the OpenAPI document. */
export interface RouteOptions<Query, Body> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/admin/v1`, with its variable parts in braces. */
  readonly path: `/${string}`
  /** `any`: every administrator may use the endpoint, whatever their scope values. */
  readonly area: AdminArea | 'any'
  readonly access: AdminAccess
  /** A sentence. The name of the operation is derived from `method` and `path`. */
  readonly summary: string
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** Whether the endpoint checks `If-Match`. */
  readonly checksIfMatch?: true
  readonly status: 200 | 201 | 204
  /** The schema of the response body; left out with 204. */
  readonly answer?: z.ZodType
  readonly handle: (call: AdminCall<Query, Body>) => Promise<AdminAnswer>
}

/** A route without the types of its query and body. */
export interface AdminRoute extends Omit<RouteOptions<unknown, unknown>, 'handle'> {
  readonly handle: (call: AdminCall<unknown, unknown>) => Promise<AdminAnswer>
}

/** Defines a route. The router calls `handle` with the output of the schemas, so the cast is safe. */
export const defineRoute = <Query = undefined, Body = undefined>(route: RouteOptions<Query, Body>): AdminRoute => ({
  ...route,
  handle: (call) => route.handle(call as AdminCall<Query, Body>),
})

/** Creates a response with one record. Its version becomes the `ETag` (RFC 9110 §8.8.3). */
export const withVersion = <View extends { readonly version: number }>(view: View) => ({
  body: view,
  version: view.version,
})
