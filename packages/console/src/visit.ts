import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { Fragment } from '@mintmark/pages/internal'

import type { Api } from './api.ts'
import type { Messages } from './languages/messages.ts'

/** The areas of the administration API (`admin:{area}:read`). */
export type Area = 'clients' | 'providers' | 'users' | 'organizations' | 'grants' | 'deliveries' | 'keys' | 'audit'

/** The signed-in administrator. */
export interface Caller {
  readonly name: string
  /** Whether the administrator may read or change an area. */
  readonly can: (access: 'read' | 'write', area: Area) => boolean
}

/** The parts of the console, which the navigation lists. */
export type Section = keyof Messages['sections']

/** A request of an administrator, with what a page needs to answer it. */
export interface Visit {
  readonly request: ServerRequest
  readonly caller: Caller
  readonly api: Api
  readonly messages: Messages
  /** Returns a decoded part of the path. */
  readonly part: (name: string) => string
  /** Returns the address of a page: the path below the console. */
  readonly link: (path: string) => string
  /** Renders a page with the navigation of the console. */
  readonly show: (content: PageContent) => ServerResponse
}

export interface PageContent {
  readonly title: string
  readonly section: Section
  readonly body: Fragment
  /** @defaultValue 200. */
  readonly status?: number
}

/** Answers requests to one page. */
export type Page = (visit: Visit) => Promise<ServerResponse>

/** A page of the console. The administration API checks each call again; `area` and `access` decide what to offer. */
export interface ConsoleRoute {
  /** The path below the console, with `{name}` for a variable segment. */
  readonly path: string
  /** Left out for a page that every administrator may see. */
  readonly area?: Area
  readonly access: 'read' | 'write'
  readonly get: Page
  readonly post?: Page
}
