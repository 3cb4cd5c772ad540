import type { ServerResponse } from '@mintmark/core/http'
import { type Journal, runInTurns } from '@mintmark/internal'

import type { ScimOccurrence } from '../event/scim-event.ts'
import { readMessage, readQuery, textResponse } from '../call/scim-message.ts'
import type { FilterLimits } from '../filter/parse-filter.ts'
import type { RenderedResource } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { recordTolerances, type ScimCall, type ScimEndpoint, toleranceCounterOf } from '../call/scim-call.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { mintListCursor, verifyListCursor } from './list-cursor.ts'
import { pageByCursor, pageByIndex, type PageContext } from './list-pages.ts'
import { type PageLimits, pageRequest, parseSearch, searchOfQuery, type SearchRequest } from './search-request.ts'
import { type ListedType, type TypeSearch, typeSearches } from './type-searches.ts'
import { createUtf8Builder, nameKey } from '../values/text.ts'

/** The two endpoints that search the same resources. */
interface SearchEndpoints {
  /** GET, with the search in the query (RFC 7644 §3.4.2). */
  readonly list: ScimEndpoint
  /** POST to `/.search`, with the search in the body (RFC 7644 §3.4.3), which keeps it out of access logs (§7.5.2). */
  readonly search: ScimEndpoint
}

interface SearchDependencies {
  readonly filterLimits: FilterLimits
  readonly pageLimits: PageLimits
  readonly journal: Journal<ScimOccurrence>
}

/** Creates the list and search endpoints of one or several resource types. */
export function searchEndpoints(types: readonly ListedType[], deps: SearchDependencies): SearchEndpoints {
  const resourceTypes = types.map(({ resourceType }) => resourceType)
  const namedTypes = types.map((type) => ({ ...type, names: withAttributesOf(type.resourceType, resourceTypes) }))

  async function respond(
    request: SearchRequest,
    tolerances: ToleranceCounter,
    call: ScimCall,
  ): Promise<ServerResponse> {
    // Parsing a long filter takes several milliseconds, and so does creating its statement: one request in each turn.
    const isLong = (request.filter?.length ?? 0) > longFilter
    if (isLong) await call.turns.next()
    const searches = typeSearches(request, namedTypes, {
      baseUrl: call.baseUrl,
      tolerances,
      filterLimits: deps.filterLimits,
    })
    recordTolerances({ tolerances }, call, deps.journal)
    if (isLong) await call.turns.next()
    return listResponse(
      await findPage(request, searches, {
        call,
        limits: deps.pageLimits,
        onNearLimit: ({ resourceType }) =>
          deps.journal.record(call.request, {
            type: 'search.near_limit',
            providerId: call.caller.provider.providerId,
            resourceType: resourceType.name,
          }),
      }),
    )
  }

  return {
    list: async (call) => respond(searchOfQuery(readQuery(call.request)), toleranceCounterOf(call), call),
    search: async (call) => {
      const tolerances = toleranceCounterOf(call)
      return respond(await runInTurns(parseSearch(await readMessage(call), tolerances), call.turns), tolerances, call)
    },
  }
}

/** In characters. */
const longFilter = 2000

async function findPage(
  request: SearchRequest,
  searches: readonly TypeSearch[],
  { limits, ...context }: PageContext & { readonly limits: PageLimits },
): Promise<ListedPage> {
  const page = pageRequest(request, limits)
  const { bytes, cursorLifetime: lifetime } = limits
  const { call } = context
  const { count } = page
  if (page.kind === 'index') {
    const { startIndex } = page
    return { ...(await pageByIndex(searches, { offset: startIndex - 1, count, bytes }, context)), startIndex }
  }
  const scope = { caller: call.caller, query: queryText(searches), count, now: call.now, lifetime }
  const position = page.cursor === '' ? { type: 0, after: undefined } : await verifyListCursor(page.cursor, scope)
  const found = await pageByCursor(searches, { position, count, bytes: Math.min(bytes, cursorPageBytes) }, context)
  return { ...found, nextCursor: found.next === undefined ? undefined : await mintListCursor(found.next, scope) }
}

/**
 * A page by cursor ends after this many bytes, since the client asks for the rest anyway (RFC 7644 §3.4.2.4). While a page
 * is read and rendered, it takes about twenty times its size.
 */
const cursorPageBytes = 2_097_152

/**
 * Returns a string that identifies the search of a cursor. It leaves out the attributes to show, which may change
 * between pages.
 */
const queryText = (searches: readonly TypeSearch[]): string =>
  JSON.stringify(searches.map(({ type, filter, sort }) => [type.resourceType.name, filter ?? null, sort ?? null]))

/**
 * Returns the resource type against which a search over several types resolves names. It also has the attributes of the
 * other types, because a name that one of the types defines is not unknown (RFC 7644 §3.4.2.1). If several types define
 * a name, the definition of `type` itself is used, or else that of users, groups and the other types, in this order.
 */
function withAttributesOf(type: ResourceType, types: readonly ResourceType[]): ResourceType {
  const schemas = types.flatMap(({ schema, extensionsByUrn }) => [
    [nameKey(schema.id), schema] as const,
    ...extensionsByUrn,
  ])
  return {
    ...type,
    attributesByName: new Map([
      ...types.toReversed().flatMap(({ attributesByName }) => [...attributesByName]),
      ...type.attributesByName,
    ]),
    extensionsByUrn: new Map([...schemas, ...type.extensionsByUrn]),
  }
}

/** A page of resources. */
interface ListedPage {
  /** The number of matching resources on all pages. */
  readonly total: number
  readonly resources: readonly RenderedResource[]
  /** From 1; undefined for a page by cursor. */
  readonly startIndex?: number
  /** Undefined on the last page and for pages by index. */
  readonly nextCursor?: string | undefined
}

/** Renders a page as a response (RFC 7644 §3.4.2, RFC 9865 §2). An empty page has an empty `Resources`. */
export function listResponse({ total, resources, startIndex, nextCursor }: ListedPage): ServerResponse {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
  const page = JSON.stringify({ schemas, totalResults: total, startIndex, itemsPerPage: resources.length, nextCursor })
  const start = `${page.slice(0, -1)},"Resources":[`
  if (!resources.some((resource) => typeof resource !== 'string')) {
    // The resources are appended as strings: a page has about 100 kB, and slicing it would copy it.
    return textResponse(200, `${start}${resources.join(',')}]}`)
  }
  const bytes = createUtf8Builder(resources.reduce((sum, { length }) => sum + length, start.length))
  bytes.add(start)
  for (const [index, resource] of resources.entries()) {
    if (index > 0) bytes.add(',')
    bytes.add(resource)
  }
  bytes.add(']}')
  return textResponse(200, bytes.toBytes())
}
