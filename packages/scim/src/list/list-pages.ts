import { type Pieces, runInTurns } from '@mintmark/internal'
import type { ListOutcome, ListPage, ListPosition, ListQuery } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { RenderContext, RenderedResource } from '../schema/projection.ts'
import type { ScimCall } from '../call/scim-call.ts'
import type { CursorPosition } from './list-cursor.ts'
import type { ListedResource, TypeSearch } from './type-searches.ts'

/** The context of a page, in addition to its searches. */
export interface PageContext {
  readonly call: ScimCall
  /** Called when a search reads more than half of the records that a search may read. */
  readonly onNearLimit: (type: TypeSearch['type']) => void
}

/** A page of resources of one or several types, one type after another. */
interface ResourcePage {
  readonly total: number
  readonly resources: readonly RenderedResource[]
  /** The position of the next page; undefined on the last page. */
  readonly next: CursorPosition | undefined
}

/**
 * Reads the page at an offset. The first offset is 0.
 * @throws ScimError tooMany — reasons `too_many_matches`, `page_too_large`.
 */
export async function pageByIndex(
  searches: readonly TypeSearch[],
  { offset, count, bytes }: { readonly offset: number; readonly count: number; readonly bytes: number },
  context: PageContext,
): Promise<ResourcePage> {
  const resources: RenderedResource[] = []
  let total = 0
  for (const search of searches) {
    const limit = count - resources.length
    const found = await listType(
      search,
      { kind: 'index', offset: limit === 0 ? 0 : Math.max(offset - total, 0), limit },
      { ...context, bytes: bytesLeft(bytes, resources) },
    )
    resources.push(...found.records)
    total += found.total
  }
  return { total, resources, next: undefined }
}

/**
 * Reads the page after a cursor. Resources of the types before and after the page are only counted.
 * @throws ScimError tooMany — reason `too_many_matches`.
 */
export async function pageByCursor(
  searches: readonly TypeSearch[],
  { position, count, bytes }: { readonly position: CursorPosition; readonly count: number; readonly bytes: number },
  context: PageContext,
): Promise<ResourcePage> {
  const resources: RenderedResource[] = []
  let total = 0
  let next: CursorPosition | undefined
  for (const [type, search] of searches.entries()) {
    const limit = type < position.type || next !== undefined ? 0 : count - resources.length
    const after = type === position.type ? position.after : undefined
    const found = await listType(
      search,
      { kind: 'cursor', after, limit },
      { ...context, bytes: bytesLeft(bytes, resources) },
    )
    resources.push(...found.records)
    total += found.total
    if (limit > 0 && found.next !== undefined) next = { type, after: found.next }
    else if (limit > 0 && resources.length === count && type + 1 < searches.length) {
      next = { type: type + 1, after: undefined }
    }
  }
  return { total, resources, next }
}

interface FoundOfType {
  readonly total: number
  readonly records: readonly RenderedResource[]
  readonly next: ListPosition | undefined
}

async function listType(
  { type, filter, sort, projection }: TypeSearch,
  page: ListPage,
  { call, onNearLimit, bytes }: PageContext & { readonly bytes: number },
): Promise<FoundOfType> {
  const { caller, baseUrl, waitForRoom, turns, signal } = call
  const { providerId } = caller.provider
  const outcome = await type.list(
    { providerId, filter, sort, page, maxBytes: bytes, signal },
    { projection, baseUrl, waitForRoom, turns, signal },
  )
  // RFC 7644 §3.12 tooMany.
  if (outcome.outcome === 'tooMany')
    throw refuse(filter === undefined && sort !== undefined ? 'sort_too_many' : 'too_many_matches')
  if (outcome.isNearLimit === true) onNearLimit(type)
  // RFC 7644 §3.12 tooMany. §3.4.2.4 allows fewer resources than count, but Okta continues at 101 and 201 and would miss users.
  const isCut = page.kind === 'index' && outcome.next !== undefined && outcome.records.length < page.limit
  if (outcome.isTooLarge === true || isCut) throw refuse('page_too_large')
  return { ...outcome, records: await runInTurns(renderAll(outcome.records), turns) }
}

/**
 * Lists the records of a page. A page that turns out to be large is read again after it has waited until it fits in memory next to
 * the large responses of all providers.
 */
export async function listWithinMemory<Record>(
  query: ListQuery,
  list: (query: ListQuery) => Promise<ListOutcome<Record>>,
  { waitForRoom }: Pick<RenderContext, 'waitForRoom'>,
): Promise<ListOutcome<Record>> {
  const { maxBytes, page } = query
  // Without a limit, the query only counts: no page of it would ever fit in memory.
  if (maxBytes === undefined || maxBytes <= smallPage) return list(query)
  const small = await list({ ...query, maxBytes: smallPage })
  if (small.outcome === 'tooMany') return small
  const isComplete = small.isTooLarge !== true && (small.next === undefined || small.records.length === page.limit)
  if (isComplete) return small
  await waitForRoom(memoryOfPage * maxBytes)
  return list(query)
}

/** In bytes. More than a store reads at once (`smallPageBytes`), so that most pages are read once. */
const smallPage = 262_145

/** A page is in memory as rows, as groups, as the text of each resource and as the text of the response. */
const memoryOfPage = 4

/** Renders the resources that are not rendered yet, and yields after each: a resource may be large. */
function* renderAll(resources: readonly ListedResource[]): Pieces<readonly RenderedResource[]> {
  const rendered: RenderedResource[] = []
  for (const resource of resources) {
    if (isRendered(resource)) rendered.push(resource)
    else {
      rendered.push(yield* resource)
      yield
    }
  }
  return rendered
}

const isRendered = (resource: ListedResource): resource is RenderedResource =>
  typeof resource === 'string' || resource instanceof Uint8Array

/** Returns how many bytes of a page the resources of earlier types leave; at least 1. */
const bytesLeft = (bytes: number, resources: readonly RenderedResource[]): number =>
  Math.max(
    1,
    resources.reduce((left, resource) => left - resource.length, bytes),
  )
