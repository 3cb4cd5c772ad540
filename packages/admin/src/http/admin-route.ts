import type { z } from 'zod'

import type { Administration } from '../administration/administration.ts'
import type { AdminAccess, AdminArea } from './admin-scopes.ts'

/** A request of somebody who has proved to administer, read and checked. */
export interface AdminCall<Query, Body> {
  readonly admin: Administration
  /** A part of the address, decoded. */
  readonly part: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** The version that `If-Match` names; undefined for any. */
  readonly version: number | undefined
}

/** What an endpoint answers. */
export interface AdminAnswer {
  /** In our own names; undefined for none. */
  readonly body?: object | undefined
  /** Becomes the entity tag. */
  readonly version?: number | undefined
  /** Of something new, below the base address. */
  readonly location?: string | undefined
}

/** An endpoint, and all that is published about it. */
export interface RouteOptions<Query, Body> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/admin/v1`, with its parts in braces. */
  readonly path: `/${string}`
  readonly area: AdminArea
  readonly access: AdminAccess
  /** A sentence; the name of the operation is made of `method` and `path`. */
  readonly summary: string
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** Whether it heeds `If-Match`. */
  readonly heedsVersion?: true
  readonly status: 200 | 201 | 204
  /** What the answer is, on the wire; left out with 204. */
  readonly answer?: z.ZodType
  readonly handle: (call: AdminCall<Query, Body>) => Promise<AdminAnswer>
}

/** A route in the table. */
export interface AdminRoute extends Omit<RouteOptions<unknown, unknown>, 'handle'> {
  readonly handle: (call: AdminCall<unknown, unknown>) => Promise<AdminAnswer>
}

/** A route whose query and body are what its schemas say: the router gives `handle` what they have made. */
export const defineRoute = <Query = undefined, Body = undefined>(route: RouteOptions<Query, Body>): AdminRoute =>
  route as unknown as AdminRoute
