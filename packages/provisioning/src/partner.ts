import { type OutboundClient, parseRetryAfter } from '@mintmark/core/internal'
import { chunksOf, type Clock, isJsonObject, isStorable, parseJsonObject } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { Authorization } from './credential.ts'
import { PartnerFailure } from './partner-failure.ts'
import { applyPatch } from './replacement.ts'
import { versionOf } from './resource-version.ts'

/** A resource of the partner (RFC 7643 §3.1). */
export type RemoteResource = JsonObject & { readonly id: string }

export type Endpoint = 'Users' | 'Groups'

/** A request that changes something at the partner. */
export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the address of the partner. */
  readonly path: string
  readonly body?: JsonObject
  /** The version of the resource that the change was computed from (RFC 7644 §3.14). */
  readonly version?: string | undefined
}

/** The SCIM service of a partner (RFC 7644). A method throws PartnerFailure if the partner does not do what it should. */
export interface Partner {
  /** Finds the one resource with this value; undefined if there is none. */
  find(endpoint: Endpoint, attribute: string, value: string): Promise<RemoteResource | undefined>
  /** Finds the resources with these `externalId`s, in any order. */
  findAll(endpoint: Endpoint, externalIds: readonly string[]): Promise<readonly RemoteResource[]>
  read(endpoint: Endpoint, id: string): Promise<RemoteResource | undefined>
  /** Reads everything. */
  list(endpoint: Endpoint): Promise<readonly RemoteResource[]>
  /**
   * Sends a change. To a service without PATCH, it sends a PUT of the resource with the change instead.
   * @returns the resource as the partner stored it, if the response has it.
   */
  change(request: ChangeRequest): Promise<RemoteResource | undefined>
}

/** Where the service of a partner is, and how to call it. */
interface PartnerAddress {
  readonly baseUrl: string
  readonly authorization: Authorization
  readonly outbound: OutboundClient
  readonly clock: Clock
}

export function openPartner(address: PartnerAddress): Partner {
  const send = createSender(address)
  const { search, pages } = createLists(send)

  const read: Partner['read'] = async (endpoint, id) => {
    const { status, body } = await send({ method: 'GET', path: `/${endpoint}/${encodeURIComponent(id)}` })
    if (status === 404) return undefined
    const resource = asResource(body)
    // RFC 7644 §3.4.1. To treat it as absent would create a second resource.
    if (resource === undefined) throw new PartnerFailure('failed', 'resource_malformed')
    return resource
  }

  return {
    read,
    change: createChange(send),
    async find(endpoint, attribute, value) {
      const found = await search(endpoint, `${attribute} eq ${JSON.stringify(value)}`)
      const matching = found.filter((resource) => isSameText(resource[attribute], value, attribute))
      // RFC 7644 §3.4.2.2: a service that ignores filters returns everything, and would get a second resource.
      if (matching.length < found.length) throw new PartnerFailure('refused', 'filter_ignored')
      if (matching.length > 1) throw new PartnerFailure('refused', `${attribute}_ambiguous`)
      return matching[0]
    },
    async findAll(endpoint, externalIds) {
      const found = new Map<string, RemoteResource>()
      for (const ids of chunksOf(externalIds, idsInFilter)) {
        const filter = ids.map((id) => `externalId eq ${JSON.stringify(id)}`).join(' or ')
        for await (const page of pages(endpoint, { filter }, 2 * ids.length))
          for (const resource of page) found.set(linkedTo(resource, ids, found), resource)
      }
      return [...found.values()]
    },
    async list(endpoint) {
      const all = new Map<string, RemoteResource>()
      for await (const page of pages(endpoint)) for (const resource of page) all.set(resource.id, resource)
      return [...all.values()]
    },
  }
}

/** Returns which of the identifiers the resource has. @throws PartnerFailure for none, and if another resource has it. */
function linkedTo(
  resource: RemoteResource,
  ids: readonly string[],
  found: ReadonlyMap<string, RemoteResource>,
): string {
  const { externalId, id } = resource
  if (typeof externalId !== 'string' || !ids.includes(externalId)) throw new PartnerFailure('refused', 'filter_ignored')
  if ((found.get(externalId) ?? resource).id !== id) throw new PartnerFailure('refused', 'externalId_ambiguous')
  return externalId
}

type Send = (
  request: Omit<ChangeRequest, 'method'> & { readonly method: 'GET' | ChangeRequest['method'] },
) => Promise<Answer>

function createSender({ baseUrl, authorization, outbound, clock }: PartnerAddress): Send {
  return async ({ method, path, body, version }) => {
    const answer = await outbound.request({
      url: `${baseUrl}${path}`,
      method,
      headers: {
        authorization: authorization.header,
        accept: mediaType,
        ...(body !== undefined && { 'content-type': mediaType }),
        ...(version !== undefined && { 'if-match': version }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeout: 10_000,
      maxBytes: 8_388_608,
    })
    if (answer.outcome === 'failed') throw new PartnerFailure('failed', answer.failure)
    const { status, headers } = answer
    const parsed = parseJsonObject(answer.body)
    if (status >= 200 && status < 300) return { status, body: parsed, size: answer.body.length }
    if (status === 401) authorization.forget()
    const isAbsent = status === 404 && method !== 'POST'
    if (isAbsent || (method === 'PATCH' && isWithoutMethod(status))) return { status, body: undefined, size: 0 }
    throw failureOf(status, { parsed, retryAfter: parseRetryAfter(headers, clock()) })
  }
}

/** Returns functions that read lists. */
function createLists(send: Send) {
  return { search, pages }

  async function search(endpoint: Endpoint, filter: string): Promise<readonly RemoteResource[]> {
    const path = `/${endpoint}?${query({ filter, count: String(pageSize) })}`
    return resourcesOf((await send({ method: 'GET', path })).body)
  }

  /** Reads page by page (RFC 7644 §3.4.2.4). A partner may have smaller pages than requested, and a list may change meanwhile. */
  async function* pages(
    endpoint: Endpoint,
    filter: Readonly<Record<string, string>> = {},
    most = maximumListed,
  ): AsyncGenerator<readonly RemoteResource[]> {
    let size = 0
    for (let startIndex = 1; ;) {
      const range = { startIndex: String(startIndex), count: String(pageSize) }
      const answer = await send({ method: 'GET', path: `/${endpoint}?${query({ ...filter, ...range })}` })
      const page = resourcesOf(answer.body)
      yield page
      startIndex += page.length
      size += answer.size
      const total = answer.body?.['totalResults']
      if (page.length === 0 || (typeof total === 'number' && startIndex > total)) return
      // A service that repeats its first page would never end.
      if (startIndex > most || size > maximumSize) throw new PartnerFailure('refused', 'too_many_resources')
    }
  }
}

function createChange(send: Send): Partner['change'] {
  return async (changed) => {
    const { status, body } = await send(changed)
    if (changed.method === 'PATCH' && (await lacksPatch(status))) return replace(changed)
    // RFC 7644 §3.6: what is gone need not be removed. A resource that is gone cannot be changed: look for it again.
    if (status === 404 && changed.method !== 'DELETE') throw new PartnerFailure('failed', 'http_404')
    return asResource(body)
  }

  /** Whether PATCH failed because the service has none. Some answer 404, and say in their configuration that they have none. */
  async function lacksPatch(status: number): Promise<boolean> {
    if (status !== 404) return isWithoutMethod(status)
    const { body } = await send({ method: 'GET', path: '/ServiceProviderConfig' })
    const feature = body?.['patch'] ?? null
    return isJsonObject(feature) && feature['supported'] === false
  }

  async function replace(changed: ChangeRequest): Promise<RemoteResource | undefined> {
    const { path, body: patch = {} } = changed
    const remote = asResource((await send({ method: 'GET', path })).body)
    // `JSON.stringify` throws for a few thousand levels.
    if (!isStorable(remote)) throw new PartnerFailure('failed', 'resource_malformed')
    const { status, body } =
      remote === undefined
        ? absent
        : await send({ method: 'PUT', path, body: applyPatch(remote, patch), version: versionOf(remote) })
    if (status === 404) throw new PartnerFailure('failed', 'http_404')
    return asResource(body)
  }
}

/** RFC 7644 §3.12, 501; RFC 9110 §15.5.6, 405. */
const isWithoutMethod = (status: number): boolean => status === 501 || status === 405

const absent: Answer = { status: 404, body: undefined, size: 0 }

interface Answer {
  readonly status: number
  readonly body: JsonObject | undefined
  /** In characters. */
  readonly size: number
}

const mediaType = 'application/scim+json'

const query = (parameters: Readonly<Record<string, string>>): string => new URLSearchParams(parameters).toString()

function resourcesOf(body: JsonObject | undefined): readonly RemoteResource[] {
  const list = body?.['Resources'] ?? []
  if (body === undefined || !Array.isArray(list)) throw new PartnerFailure('failed', 'list_malformed')
  return list.map((element: JsonValue) => {
    const resource = asResource(isJsonObject(element) ? element : undefined)
    // RFC 7643 §3.1: every resource has an id. To leave it out would create a second resource, or hide a difference.
    if (resource === undefined) throw new PartnerFailure('failed', 'resource_malformed')
    return resource
  })
}

function asResource(body: JsonObject | undefined): RemoteResource | undefined {
  const id = body?.['id']
  return body !== undefined && typeof id === 'string' && isPathSegment(id) ? { ...body, id } : undefined
}

/** Whether the identifier can be a part of a path: `encodeURIComponent` throws for half a surrogate pair, and dots lead to another path. */
const isPathSegment = (id: string): boolean => id !== '' && id !== '.' && id !== '..' && isStorable(id)

/** RFC 7643 §4.1.1, §3.1: `userName` and `displayName` ignore case, `externalId` does not. */
const isSameText = (found: JsonValue | undefined, value: string, attribute: string): boolean =>
  typeof found === 'string' &&
  (attribute === 'externalId' ? found === value : found.toLowerCase() === value.toLowerCase())

/** RFC 7644 §3.12. After most 4xx responses, the same request would fail again. */
function failureOf(
  status: number,
  { parsed, retryAfter }: { readonly parsed: JsonObject | undefined; readonly retryAfter: number },
): PartnerFailure {
  const type = parsed?.['scimType']
  const failure = typeof type === 'string' && /^\w{1,40}$/.test(type) ? `http_${status}_${type}` : `http_${status}`
  // A credential or an address may be corrected, a version may have changed, and a busy service recovers.
  const mayRecover =
    (status >= 500 && status !== 501) || status < 400 || [401, 403, 408, 412, 423, 425, 429].includes(status)
  return new PartnerFailure(mayRecover ? 'failed' : 'refused', failure, retryAfter)
}

/** RFC 7644 §3.4.2.4. Partners may return fewer. */
const pageSize = 100

/** A URL then has about 2,000 characters. */
const idsInFilter = 20

/** A comparison reads everything into memory. */
const maximumListed = 200_000
/** In characters. */
const maximumSize = 268_435_456
