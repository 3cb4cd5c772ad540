import { refusal } from '../error/refusal.ts'
import type { ScimEndpoint, ScimRoutes } from '../server/scim-call.ts'
import { decodeSegment } from '../server/scim-path.ts'
import { referenceIn } from './bulk-reference.ts'
import type { BulkOperation } from './bulk-operation.ts'

/** What an operation is for. */
export interface BulkTarget {
  readonly endpoint: ScimEndpoint
  /** Below the provider's base. */
  readonly path: string
  /** Empty for a collection. */
  readonly id: string
}

/**
 * Finds the endpoint of an operation (RFC 7644 §3.7): POST goes to a collection, the other methods to a resource in it. A path is
 * below the caller's own base whatever it says: there are no addresses, no queries, no steps upward and no names of messages in it.
 * @param resources the collections that operations may be about.
 * @param idOf the identifier for a bulkId; it may throw.
 * @throws ScimError invalidSyntax — reason `bulk_path`.
 */
export function bulkTarget(
  { method, path }: BulkOperation,
  resources: ScimRoutes,
  idOf: (bulkId: string) => string,
): BulkTarget {
  const { name, id } = parseBulkPath(path)
  const collection = Object.hasOwn(resources, name.toLowerCase()) ? resources[name.toLowerCase()] : undefined
  const endpoint = (id === '' ? collection?.collection : collection?.member)?.[method]
  // RFC 7644 §3.7: the relative path of a resource type's endpoint or of a resource.
  if (endpoint === undefined) throw refusal('bulk_path')
  const bulkId = referenceIn(id)
  const resolved = bulkId === undefined ? id : idOf(bulkId)
  return { endpoint, path: id === '' ? `/${name}` : `/${name}/${encodeURIComponent(resolved)}`, id: resolved }
}

/** The bulkId that a path refers to. */
export const pathReference = (path: string): string | undefined =>
  referenceIn(decodeSegment(pathForm.exec(path)?.[2] ?? '') ?? '')

function parseBulkPath(path: string): { readonly name: string; readonly id: string } {
  const [, name = '', segment = ''] = pathForm.exec(path) ?? []
  const id = decodeSegment(segment)
  // RFC 3986 §5.2.4: steps that a URL would take away.
  if (name === '' || id === undefined || id === '.' || id === '..') throw refusal('bulk_path')
  return { name, id }
}

/** A collection, and a resource in it. */
const pathForm = /^\/([A-Za-z]+)(?:\/([^/?#\\]+))?$/
