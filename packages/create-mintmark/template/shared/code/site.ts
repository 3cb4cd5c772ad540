import type { AuthorizationServer } from '@mintmark/core'
import type { Endpoint, HttpService, Logger, ServerRequest } from '@mintmark/core/http'
import type { ScimStorage } from '@mintmark/storage-interface'

/** What a site needs, besides its users. */
export interface SiteOptions {
  readonly issuer: string
  readonly storage: ScimStorage
  /** Seals the signing keys in the database. */
  readonly sealingKey: string
  /** The secret in the link with which you try the site; empty for none. */
  readonly tryKey: string
  readonly logger: Logger
  /** Sends the requests of try-it.ts to the server; `fetch` by default. */
  readonly fetch?: Fetch
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Everything that the framework mounts. */
export interface Site {
  /** The authorization server. */
  readonly server: AuthorizationServer
  /** Answers `/health` and `/ready`, for load balancers. */
  readonly health: HttpService
  /** They answer their own paths, of OAuth, OpenID Connect and SCIM. Mount them before body parsers. */
  readonly services: readonly HttpService[]
  /** Your own pages, by their path. */
  readonly pages: Readonly<Record<string, Endpoint>>
}

/** The path of the issuer, below which the pages are: empty if the issuer has no path. */
export const basePath = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '')

/** Returns the pages. When one of them throws, the browser gets the server's error page. */
export const renderingErrors = (server: AuthorizationServer, pages: Site['pages']): Site['pages'] =>
  Object.fromEntries(
    Object.entries(pages).map(([path, page]) => [
      path,
      (request) => page(request).catch((error: unknown) => server.renderError(error, request)),
    ]),
  )

/** Returns the browser's IP address, if the framework has added it to its request. */
export const addressOf = ({ host }: ServerRequest): string | undefined =>
  (host as { readonly ip?: string } | undefined)?.ip
