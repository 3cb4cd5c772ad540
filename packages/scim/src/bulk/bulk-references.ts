import type { Pieces } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import { decodeIdentifier } from '../values/scim-path.ts'
import type { ScimEndpoint, ScimRoutes } from '../call/scim-call.ts'
import { isArray, isObject, toObject } from '../values/json.ts'
import { nameKey } from '../values/text.ts'
import type { BulkOperation } from './parse-bulk.ts'

/**
 * Returns the `bulkId` that a reference names (RFC 7644 §3.7.2): `qwerty` for `bulkId:qwerty`. No id starts with this
 * prefix (RFC 7643 §3.1).
 * @returns undefined for any other string.
 */
const referenceIn = (text: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined

/**
 * Returns all references in the data of an operation, at any depth: in members, in a manager, in the value of a PATCH
 * operation.
 */
export function* referencesIn(data: JsonValue | undefined): Pieces<ReadonlySet<string>> {
  const references = new Set<string>()
  const open = data === undefined ? [] : [data]
  let read = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const bulkId = typeof value === 'string' ? referenceIn(value) : undefined
    if (bulkId !== undefined) references.add(bulkId)
    const values = isArray(value) ? value : isObject(value) ? referringValues(value) : []
    // Reversed, because a stack returns the last value first: the references are returned in the order of the text.
    for (const each of values.toReversed()) open.push(each)
    read += 1
    if (read % valuesInPiece === 0) yield
  }
  return references
}

/**
 * The members that refer to a resource (RFC 7644 §3.7.2). The same text elsewhere, such as in a displayName, is only text.
 */
const referring: ReadonlySet<string> = new Set(['value', '$ref', 'members', 'manager'])

const refers = (name: string): boolean => referring.has(nameKey(name).split(/[.:]/).at(-1) ?? '')

/** Returns the values of an object that may refer to a resource. A path refers to those in its filter. */
const referringValues = (object: JsonObject): readonly JsonValue[] =>
  Object.entries(object).flatMap(([name, value]) => {
    if (typeof value !== 'string' || refers(name)) return [value]
    return isPath(name) ? Array.from(value.matchAll(referenceInFilter), ([, bulkId = '']) => prefix + bulkId) : []
  })

/** The path of a PATCH operation, as in `members[value eq "bulkId:qwerty"]`. */
const isPath = (name: string): boolean => nameKey(name) === 'path'

const referenceInFilter = /"bulkId:([^"\\]*)"/g

const withIdentifiersInFilter = (path: string, idOf: (bulkId: string) => string): string =>
  path.replaceAll(referenceInFilter, (_, bulkId: string) => JSON.stringify(idOf(bulkId)))

/** Replaces the references in data with ids. */
export function* withIdentifiers(data: JsonValue, idOf: (bulkId: string) => string): Pieces<JsonValue> {
  if (typeof data === 'string') {
    const bulkId = referenceIn(data)
    return bulkId === undefined ? data : idOf(bulkId)
  }
  if (typeof data !== 'object' || data === null) return data
  if (isArray(data)) {
    const items: JsonValue[] = []
    for (const item of data) {
      items.push(yield* withIdentifiers(item, idOf))
      if (items.length % valuesInPiece === 0) yield
    }
    return items
  }
  const members: [name: string, value: JsonValue][] = []
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== 'string' || refers(name)) members.push([name, yield* withIdentifiers(value, idOf)])
    else members.push([name, isPath(name) ? withIdentifiersInFilter(value, idOf) : value])
  }
  yield
  return toObject(members)
}

const valuesInPiece = 1000

const prefix = 'bulkId:'

/** The endpoint and resource of an operation. */
export interface BulkTarget {
  readonly endpoint: ScimEndpoint
  /** Relative to the provider's tenant URL. */
  readonly path: string
  /** Empty for a collection. */
  readonly id: string
}

/**
 * Resolves the endpoint of an operation (RFC 7644 §3.7): POST targets a collection, the other methods a resource. A path cannot
 * leave the base URL of the caller: absolute URLs, queries, dot segments and `/.search` are refused.
 * @param resources the collections that operations may target.
 * @param idOf returns the id for a bulkId; it may throw.
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
  if (endpoint === undefined) throw refuse('bulk_path')
  const bulkId = referenceIn(id)
  const resolved = bulkId === undefined ? id : idOf(bulkId)
  return { endpoint, path: id === '' ? `/${name}` : `/${name}/${encodeURIComponent(resolved)}`, id: resolved }
}

/** Returns the bulkId that a path refers to, if any. */
export const pathReference = (path: string): string | undefined =>
  referenceIn(decodeIdentifier(pathForm.exec(path)?.[2] ?? '') ?? '')

function parseBulkPath(path: string): { readonly name: string; readonly id: string } {
  const [, name = '', segment = ''] = pathForm.exec(path) ?? []
  const id = decodeIdentifier(segment)
  // RFC 3986 §5.2.4: dot segments, which URL parsing would remove.
  if (id === undefined || id === '.' || id === '..') throw refuse('bulk_path')
  return { name, id }
}

/** The path of a collection, or of a resource in it. `checkCustomTypes` allows no other characters in an endpoint. */
const pathForm = /^\/([A-Za-z][A-Za-z0-9_-]*)(?:\/([^/?#\\]+))?$/

/**
 * Orders operations as they were sent, except that each follows the operations that it refers to (RFC 7644 §3.7.1). In
 * a cycle, one operation has to come first, and its reference then fails. Linear in the number of references, without
 * recursion.
 * @param references for each operation, the positions of the operations that it refers to.
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
      if (seen.has(position)) continue
      seen.add(position)
      open.push({ position, isReady: true })
      for (const next of (references[position] ?? []).toReversed()) open.push({ position: next, isReady: false })
    }
  }
  return order
}

interface Visit {
  readonly position: number
  /** True once all operations that this operation refers to are in the order. */
  readonly isReady: boolean
}
