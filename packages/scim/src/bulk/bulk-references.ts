import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { ScimEndpoint, ScimRoutes } from '../server/scim-call.ts'
import { decodeSegment } from '../server/scim-path.ts'
import { isArray, isObject, toObject } from '../values/json.ts'
import type { BulkOperation } from './parse-bulk.ts'

/**
 * The `bulkId` that a text refers to (RFC 7644 §3.7.2): `qwerty` for `bulkId:qwerty`. No identifier begins so (RFC 7643 §3.1).
 * @returns undefined for every other text.
 */
const referenceIn = (text: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined

/** All references in what an operation sends, wherever they stand: members, a manager, the value of a PATCH operation. */
export function referencesIn(data: JsonValue | undefined): readonly string[] {
  if (typeof data === 'string') {
    const bulkId = referenceIn(data)
    return bulkId === undefined ? [] : [bulkId]
  }
  if (isArray(data)) return data.flatMap(referencesIn)
  return isObject(data) ? Object.values(data).flatMap(referencesIn) : []
}

/** The same data with identifiers in place of references. */
export function withIdentifiers(data: JsonValue, idOf: (bulkId: string) => string): JsonValue {
  if (typeof data === 'string') {
    const bulkId = referenceIn(data)
    return bulkId === undefined ? data : idOf(bulkId)
  }
  if (isArray(data)) return data.map((item) => withIdentifiers(item, idOf))
  return isObject(data)
    ? toObject(Object.entries(data).map(([name, value]) => [name, withIdentifiers(value, idOf)]))
    : data
}

const prefix = 'bulkId:'

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
export function resolveTarget(
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

/**
 * The order in which operations are carried out: as they were sent, but each after those that it refers to
 * (RFC 7644 §3.7.1). In a circle one comes first all the same; what it refers to is then not there. Linear in the number of
 * references, and without recursion.
 * @param references for each operation the positions of those that it refers to.
 * @returns every position once.
 */
export function executionOrder(references: readonly (readonly number[])[]): readonly number[] {
  const order: number[] = []
  const seen = new Set<number>()
  for (const start of references.keys()) {
    const open: Visit[] = [{ position: start, isReady: false }]
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { position, isReady } = visit
      if (isReady) order.push(position)
      if (isReady || seen.has(position)) continue
      seen.add(position)
      open.push({ position, isReady: true })
      for (const next of (references[position] ?? []).toReversed()) open.push({ position: next, isReady: false })
    }
  }
  return order
}

interface Visit {
  readonly position: number
  /** What it refers to is in the order already. */
  readonly isReady: boolean
}
