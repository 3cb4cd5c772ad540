import { type Pieces, runAtOnce, runInTurns, type Turns } from '@mintmark/internal'
import { type JsonObject, type JsonValue } from '@mintmark/storage-interface'
import { type ProviderId, jsonText } from '@mintmark/storage-interface/stores'

import { refuse, ScimError } from '../error/scim-error.ts'
import { parseResource } from '../resource/parse-resource.ts'
import { projectResource, comparableResource } from '../resource/resource.ts'
import type { ServedType } from './resource-endpoints.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createParseContext } from '../schema/parse-context.ts'
import { getMember, isObject, toObject } from '../values/json.ts'
import { isAllowedText, parseInstant } from '../values/text.ts'
import { checksum } from '../users/render-cache.ts'
import { listInMemory } from './list-in-memory.ts'
import { parsedType, type SuppliedResourceType } from './custom-types.ts'

/** A checked resource that the host supplies. */
interface Supplied {
  readonly id: string
  /** All attributes, except the parts of `meta` that depend on the provider. */
  readonly resource: JsonObject
  /** The comparable form, for filters and sorting. */
  readonly comparable: JsonObject
}

/**
 * Serves the resources that a host supplies. They are filtered and sorted in memory, and listed in the order of their
 * ids, so that pages stay consistent when the host's list changes between them.
 * @throws TypeError when a list that does not depend on the provider is malformed.
 */
export function suppliedType({ resourceType, resources }: SuppliedResourceType): ServedType<Supplied> {
  const type = parsedType(resourceType)
  const { name, endpoint } = type
  const load = typeof resources === 'function' ? loadEach(resources, type) : loadOnce(resources, type)
  const locationOf = (id: string, baseUrl: string): string => `${baseUrl}${endpoint}/${encodeURIComponent(id)}`

  const versionOf = ({ resource }: Supplied): string => `W/"${checksum(JSON.stringify(resource))}"`
  const complete = (supplied: Supplied, baseUrl: string): JsonObject => {
    const { id, resource } = supplied
    const hostMeta = getMember(resource, 'meta')
    const meta = { resourceType: name, location: locationOf(id, baseUrl), version: versionOf(supplied) }
    return toObject([...Object.entries(resource), ['meta', { ...(isObject(hostMeta) ? hostMeta : {}), ...meta }]])
  }

  return {
    listed: {
      resourceType: type,
      locationOf,
      async list(query, { projection, baseUrl, turns }) {
        const supplied = await load(query.providerId, turns)
        const rows = [...supplied.values()].map((each) => ({
          id: each.id,
          comparable: () => each.comparable,
          record: () => jsonText(projectResource(complete(each, baseUrl), projection)),
        }))
        return listInMemory(rows, query, turns)
      },
    },
    idOf: ({ id }) => id,
    versionOf,
    async find({ caller, id, turns }) {
      const found = (await load(caller.provider.providerId, turns)).get(id)
      if (found === undefined) throw refuse('resource_not_found')
      return found
    },
    show: async (supplied, { projection, baseUrl }) =>
      jsonText(projectResource(complete(supplied, baseUrl), projection)),
    writes: undefined,
  }
}

type Load = (providerId: ProviderId, turns: Turns) => Promise<ReadonlyMap<string, Supplied>>

function loadOnce(resources: readonly JsonObject[], type: ResourceType): Load {
  const checked = runAtOnce(checkAll(resources, type))
  return async () => checked
}

const loadEach =
  (resources: Extract<SuppliedResourceType['resources'], (...args: never) => unknown>, type: ResourceType): Load =>
  async (providerId, turns) =>
    runInTurns(checkAll(await resources({ providerId }), type), turns)

/** Checks the host's list. @throws TypeError when the list is malformed; the directory then receives 500. */
function* checkAll(resources: readonly JsonObject[], type: ResourceType): Pieces<ReadonlyMap<string, Supplied>> {
  if (resources.length > maximumResources)
    throw new TypeError(
      `${type.name}: the host supplies more than ${maximumResources} resources. Use a stored type instead.`,
    )
  const checked = new Map<string, Supplied>()
  for (const resource of resources) {
    const supplied = checkOne(resource, type)
    if (checked.has(supplied.id)) throw new TypeError(`${type.name}: two supplied resources have the same id.`)
    checked.set(supplied.id, supplied)
    yield
  }
  return checked
}

/** Every request to the type reads all resources. */
const maximumResources = 10_000

function checkOne(resource: JsonObject, type: ResourceType): Supplied {
  const { id } = resource
  // RFC 7643 §3.1: an id is not empty and does not begin with "bulkId"; OIDC Core §2 limits the ids of users to 255.
  const isId = typeof id === 'string' && id !== '' && id.length <= 255 && isAllowedText(id, 'line')
  if (!isId || id.startsWith('bulkId')) throw new TypeError(`${type.name}: a supplied resource has no valid id.`)
  const document = parseSupplied(resource, type)
  const complete = toObject([...Object.entries(document), ['id', id], ['meta', timesOf(resource, type)]])
  return { id, resource: complete, comparable: comparableResource(complete, type) }
}

function parseSupplied(resource: JsonObject, type: ResourceType): JsonObject {
  const context = createParseContext(type, new Set())
  try {
    return parseResource(toObject([...Object.entries(resource), ['schemas', [type.schema.id]]]), context).resource
  } catch (error) {
    if (!(error instanceof ScimError)) throw error
    const { reason, attribute = 'resource' } = error
    throw new TypeError(`${type.name}: a supplied resource is malformed (${reason}, ${attribute}).`, { cause: error })
  }
}

/** Returns the times in `meta` that the host may supply. */
function timesOf({ meta }: JsonObject, type: ResourceType): JsonValue | undefined {
  if (!isObject(meta)) return undefined
  const times = ['created', 'lastModified'].map((name) => [name, getMember(meta, name)] as const)
  // RFC 7643 §2.3.5.
  if (times.some(([, time]) => time !== undefined && !(typeof time === 'string' && parseInstant(time) !== undefined)))
    throw new TypeError(
      `${type.name}: the times of a supplied resource must be valid dateTime values (RFC 7643 §2.3.5).`,
    )
  return toObject(times)
}
