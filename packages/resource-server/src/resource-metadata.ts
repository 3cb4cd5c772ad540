import { proofAlgorithms } from '@mintmark/internal'

import type { ResourceServerOptions } from './options.ts'

/** The protected resource metadata (RFC 9728 §2), and the URL at which clients look for it. */
export interface ResourceMetadata {
  readonly url: string
  /** The path of the URL, without the query. */
  readonly path: string
  /** The document, as JSON. */
  readonly document: string
}

/** @returns `undefined` when the API's identifier is not an http or https URL, so that the document has no address. */
export function resourceMetadata(options: ResourceServerOptions): ResourceMetadata | undefined {
  const url = metadataUrl(options.audience)
  if (url === undefined) return undefined
  const document = {
    resource: options.audience,
    authorization_servers: [options.issuer],
    bearer_methods_supported: ['header'],
    ...(options.dpop !== undefined && {
      dpop_signing_alg_values_supported: proofAlgorithms,
      dpop_bound_access_tokens_required: options.dpop.required ?? false,
    }),
    ...(options.mutualTls !== undefined && { tls_client_certificate_bound_access_tokens: true }),
    ...(options.scopes !== undefined && { scopes_supported: options.scopes }),
    ...(options.name !== undefined && { resource_name: options.name }),
    ...(options.documentation !== undefined && { resource_documentation: options.documentation }),
  }
  return { url: url.href, path: url.pathname, document: JSON.stringify(document) }
}

/** RFC 9728 §3.1: the well-known path is inserted between the host and the path. */
function metadataUrl(resource: string): URL | undefined {
  if (!/^https?:\/\//.test(resource)) return undefined
  const { origin, pathname, search } = new URL(resource)
  return new URL(`${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}${search}`)
}

/** The document is JSON (RFC 9728 §3.2) that browser apps of every origin may read. */
export const metadataHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'public, max-age=300',
  'Access-Control-Allow-Origin': '*',
}

/** The response to a preflight request for the document, which browsers send for headers such as MCP-Protocol-Version. */
export const metadataPreflight = {
  status: 204,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '7200',
  },
} as const
