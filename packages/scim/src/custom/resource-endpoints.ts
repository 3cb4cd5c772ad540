import type { ServerResponse } from '@mintmark/core/http'
import { type Journal, runInTurns } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import type { ScimOccurrence } from '../event/scim-event.ts'
import { searchEndpoints } from '../list/search-endpoints.ts'
import type { ListedType } from '../list/type-searches.ts'
import {
  emptyResponse,
  isNotModified,
  notModifiedResponse,
  readMessage,
  readProjection,
  readQuery,
  resourceResponse,
  scimContent,
} from '../call/scim-message.ts'
import type { FilterLimits } from '../filter/parse-filter.ts'
import type { PageLimits } from '../list/search-request.ts'
import { assignedAttributes } from '../patch/parse-patch.ts'
import type { RenderContext, RenderedResource } from '../schema/projection.ts'
import {
  createCallContext,
  createPatchParser,
  type PatchParser,
  recordTolerances,
  type ScimCall,
  type ScimCollection,
  type ScimEndpoint,
} from '../call/scim-call.ts'
import { parseResourceInPieces } from '../resource/parse-resource.ts'
import { attributesIn, projectionOfWrite } from '../resource/resource.ts'

/** How the endpoints of a resource type find, write and show its resources. */
export interface ServedType<Resource> {
  /** How the type is listed. Requests are parsed against its `resourceType`. */
  readonly listed: ListedType
  readonly idOf: (resource: Resource) => string
  /** The entity tag (RFC 7644 §3.14). */
  readonly versionOf: (resource: Resource) => string
  /**
   * Finds the resource of a request.
   * @throws ScimError 404 — reason `resource_not_found`.
   */
  readonly find: (call: ScimCall) => Promise<Resource>
  /** Checks what the parsed body of a POST or PUT no longer shows. @throws ScimError */
  readonly checkBody?: (body: unknown, document: JsonObject) => void
  readonly show: (resource: Resource, renderContext: RenderContext) => Promise<RenderedResource>
  /** Undefined for a type that clients only read. */
  readonly writes: TypeWrites<Resource> | undefined
}

/** How the resources of a type are written. Each method checks the preconditions of the request and records the event. */
interface TypeWrites<Resource> {
  /** @param document the body, parsed by `parseResource`. */
  readonly create: (document: JsonObject, call: ScimCall) => Promise<Resource>
  readonly replace: (document: JsonObject, call: ScimCall) => Promise<Resource>
  /** @param parse called for each attempt to write. */
  readonly patch: (parse: PatchParser, call: ScimCall) => Promise<Resource>
  readonly remove: (call: ScimCall) => Promise<unknown>
  /** The response to a PATCH that names no attributes: the resource, or 204 when showing it is expensive (RFC 7644 §3.5.2). */
  readonly patchAnswer: 'resource' | 'noContent'
}

interface ResourceEndpointDependencies {
  readonly filterLimits: FilterLimits
  readonly pageLimits: PageLimits
  readonly journal: Journal<ScimOccurrence>
}

/** Creates the routes of a resource type (RFC 7644 §3.2). A type without writes responds to a write with 405. */
export function resourceRoutes<Resource>(
  type: ServedType<Resource>,
  deps: ResourceEndpointDependencies,
): ScimCollection {
  const { list, search } = searchEndpoints([type.listed], deps)
  const named = { '.search': { POST: search } }
  const { writes } = type
  if (writes === undefined) return { collection: { GET: list }, member: { GET: readOne(type) }, named }
  return {
    // RFC 7644 §3.3.
    collection: { GET: list, POST: writeOne(type, { status: 201, write: writes.create }, deps) },
    member: {
      GET: readOne(type),
      // RFC 7644 §3.5.1: clears omitted attributes, and never creates a resource.
      PUT: writeOne(type, { status: 200, write: writes.replace }, deps),
      PATCH: patchOne(type, writes),
      DELETE: removeOne(writes),
    },
    named,
  }
}

/** Handles POST and PUT: writes the document in the body, and responds with the resource. */
const writeOne =
  <Resource>(
    type: ServedType<Resource>,
    { status, write }: { readonly status: 200 | 201; readonly write: TypeWrites<Resource>['create' | 'replace'] },
    deps: ResourceEndpointDependencies,
  ): ScimEndpoint =>
  async (call) => {
    const renderContext = renderContextOf(call, type)
    const document = await readDocument(call, type, deps)
    const written = await write(document, call)
    return respond(written, { status, renderContext: withWrittenAttributes(renderContext, document, type) }, type)
  }

/** GET: reads one resource (RFC 7644 §3.4.1). */
const readOne =
  <Resource>(type: ServedType<Resource>): ScimEndpoint =>
  async (call) => {
    const renderContext = renderContextOf(call, type)
    const resource = await type.find(call)
    const version = type.versionOf(resource)
    if (isNotModified(call.request, version))
      return notModifiedResponse({ location: locationOf(resource, type, renderContext), version })
    return respond(resource, { status: 200, renderContext }, type)
  }

/** PATCH (RFC 7644 §3.5.2): applies all operations or none, in one write. */
const patchOne =
  <Resource>(type: ServedType<Resource>, writes: TypeWrites<Resource>): ScimEndpoint =>
  async (call) => {
    const renderContext = renderContextOf(call, type)
    const parse = createPatchParser(call, await readMessage(call), type.listed.resourceType)
    const patched = await writes.patch(parse, call)
    const { resourceType } = type.listed
    const isPlain = renderContext.projection === resourceType.defaultProjection
    // SCIM-SDK's client expects a content type in every response except to a DELETE (seen in 1.30.0).
    if (isPlain && writes.patchAnswer === 'noContent')
      return emptyResponse([scimContent, ['ETag', type.versionOf(patched)]])
    const { assignments } = await parse()
    const projection = projectionOfWrite(renderContext.projection, resourceType, () => assignedAttributes(assignments))
    return respond(patched, { status: 200, renderContext: { ...renderContext, projection } }, type)
  }

/** Adds the attributes that a POST or PUT wrote to the projection of its response. */
const withWrittenAttributes = <Resource>(
  renderContext: RenderContext,
  document: JsonObject,
  { listed: { resourceType } }: ServedType<Resource>,
): RenderContext => ({
  ...renderContext,
  projection: projectionOfWrite(renderContext.projection, resourceType, () => attributesIn(document, resourceType)),
})

/** DELETE: removes the resource (RFC 7644 §3.6). */
const removeOne =
  <Resource>({ remove }: TypeWrites<Resource>): ScimEndpoint =>
  async (call) => {
    await remove(call)
    return emptyResponse()
  }

/**
 * Reads from the query how to show the resource. Called before the body is read, so that a malformed query is refused
 * first.
 */
const renderContextOf = <Resource>(
  { request, baseUrl, waitForRoom, turns, signal }: ScimCall,
  { listed }: ServedType<Resource>,
): RenderContext => ({
  projection: readProjection(readQuery(request), listed.resourceType),
  baseUrl,
  waitForRoom,
  turns,
  signal,
})

async function readDocument<Resource>(
  call: ScimCall,
  { listed, checkBody }: ServedType<Resource>,
  deps: ResourceEndpointDependencies,
): Promise<JsonObject> {
  const context = createCallContext(call, listed.resourceType)
  const body = await readMessage(call)
  const { resource } = await runInTurns(parseResourceInPieces(body, context), call.turns)
  checkBody?.(body, resource)
  recordTolerances(context, call, deps.journal)
  return resource
}

const locationOf = <Resource>(
  resource: Resource,
  { idOf, listed }: ServedType<Resource>,
  { baseUrl }: RenderContext,
): string => listed.locationOf(idOf(resource), baseUrl)

/** Responds with a resource (RFC 7644 §3.9). */
async function respond<Resource>(
  resource: Resource,
  { status, renderContext }: { readonly status: 200 | 201; readonly renderContext: RenderContext },
  type: ServedType<Resource>,
): Promise<ServerResponse> {
  const shown = await type.show(resource, renderContext)
  return resourceResponse(status, shown, {
    location: locationOf(resource, type, renderContext),
    version: type.versionOf(resource),
  })
}
