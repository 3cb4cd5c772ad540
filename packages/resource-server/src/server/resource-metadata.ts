import type { ResourceServerOptions } from './resource-server-options.ts'

/** The protected resource metadata (RFC 9728 §2), and where clients look for it. */
export interface ResourceMetadata {
  /** The whole address. */
  readonly url: string
  /** The path of the address, as requests have it. */
  readonly path: string
  /** The document, as JSON text. */
  readonly document: string
}

/** @returns `undefined` when the API's identifier is no address, and so cannot have any. */
export function resourceMetadata(options: ResourceServerOptions): ResourceMetadata | undefined {
  const url = metadataUrl(options.audience)
  if (url === undefined) return undefined
  const document = {
    resource: options.audience,
    authorization_servers: [options.issuer],
    bearer_methods_supported: ['header'],
    ...(options.scopes !== undefined && { scopes_supported: options.scopes }),
    ...(options.name !== undefined && { resource_name: options.name }),
    ...(options.documentation !== undefined && { resource_documentation: options.documentation }),
  }
  return { url: url.href, path: url.pathname, document: JSON.stringify(document) }
}

/** RFC 9728 §3.1: the well-known path comes between the host and the path, if there is one. */
function metadataUrl(resource: string): URL | undefined {
  if (!/^https?:\/\//.test(resource)) return undefined
  const { origin, pathname, search } = new URL(resource)
  return new URL(`${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}${search}`)
}
