import type { Journal, Random } from '@mintmark/internal'
import { inOnePiece, randomIdentifier, runInTurns, utf8Length } from '@mintmark/internal'
import { type JsonObject } from '@mintmark/storage-interface'
import {
  type CustomResourceRecord,
  type CustomResourceState,
  type CustomResourceStore,
  untilSettled,
  jsonText,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import { countQuery } from '../list/count-query.ts'
import { listWithinMemory } from '../list/list-pages.ts'
import { checkPreconditions } from '../call/scim-message.ts'
import { applyAssignments } from '../patch/apply-patch.ts'
import { projectResource, renderMeta, comparableResource } from '../resource/resource.ts'
import { replaceResource } from '../resource/replace-resource.ts'
import type { ServedType } from './resource-endpoints.ts'
import type { RenderContext } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { createResourceQuota } from '../call/resource-quota.ts'
import { recordTolerances, type ScimCall } from '../call/scim-call.ts'
import type { ScimLimits } from '../limits/scim-limits.ts'
import { getMember, getText, isArray, isObject, sameValue, toObject } from '../values/json.ts'
import type { References } from './references.ts'

interface StoredTypeDependencies {
  readonly limits: Pick<ScimLimits, 'resourceBytes' | 'customResources'>
  readonly store: CustomResourceStore
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  readonly references: References
}

/** Creates the operations of a custom type whose resources identity providers create and the server stores. */
export function storedType(
  type: ResourceType,
  { limits, store, random, journal, references }: StoredTypeDependencies,
): ServedType<CustomResourceRecord> {
  const { name: resourceType, endpoint } = type
  const quota = createResourceQuota(limits.customResources, (query) => store.list({ ...query, resourceType }))
  const locationOf = (id: string, baseUrl: string): string => `${baseUrl}${endpoint}/${encodeURIComponent(id)}`
  const render = (record: CustomResourceRecord, { projection, baseUrl }: RenderContext) => {
    const location = locationOf(record.resourceId, baseUrl)
    const meta = JSON.parse(renderMeta({ resourceType, record, location, version: versionOf(record) })) as JsonObject
    const complete = toObject([...Object.entries(references.render(documentOf(record), baseUrl)), ['meta', meta]])
    return jsonText(projectResource(complete, projection))
  }
  const record = (kind: 'created' | 'changed' | 'removed', { caller, request }: ScimCall, resourceId: string): void =>
    journal.record(request, {
      type: `resource.${kind}`,
      providerId: caller.provider.providerId,
      resourceType,
      resourceId,
    })

  async function find({ caller, id }: ScimCall): Promise<CustomResourceRecord> {
    // The server's identifiers are short. A long one from a request cannot match, and could exceed what a store can index.
    const found = id.length > 255 ? undefined : await store.find({ ...ownerOf(caller), resourceId: id })
    // RFC 7644 §3.12, 404, including for a resource of another provider (RFC 7644 §6).
    if (found === undefined) throw refuse('resource_not_found')
    return found
  }

  const ownerOf = ({ provider }: ScimCall['caller']) => ({ providerId: provider.providerId, resourceType })

  /** Checks the references that a document adds. */
  const checkReferences = (
    document: JsonObject,
    before: JsonObject,
    { caller, baseUrl, waitForRoom, turns, signal }: ScimCall,
  ): Promise<void> =>
    references.check(document, before, { providerId: caller.provider.providerId, baseUrl, waitForRoom, turns, signal })

  async function requireFreeExternalId(externalId: string | undefined, { caller }: ScimCall): Promise<void> {
    if (externalId === undefined) return
    const found = await store.list({ ...ownerOf(caller), ...countQuery('externalId', externalId) })
    if (found.outcome === 'listed' && found.total > 0) throw keyTakenError('externalId')
  }

  /** Changes a resource. After a conflict, repeats the change on the new state, unless the request names a version. */
  const write = (
    call: ScimCall,
    change: (document: JsonObject) => JsonObject | Promise<JsonObject>,
  ): Promise<CustomResourceRecord> =>
    untilSettled(async () => {
      const current = await find(call)
      checkPreconditions(call.request, versionOf(current))
      const before = documentOf(current)
      const document = references.strip(await change(before))
      // RFC 7644 §3.5.2.1: a write without changes keeps version and date.
      if (sameValue(before, document)) return current
      await checkReferences(document, before, call)

      const { version, resourceId } = current
      const key = { ...ownerOf(call.caller), resourceId }
      const outcome = await store.compareAndSwap({
        ...key,
        version,
        state: stateOf(document, type, limits),
        now: call.now,
      })
      if (outcome.outcome === 'conflict' || outcome.outcome === 'absent') return undefined
      if (outcome.outcome === 'taken') throw keyTakenError(outcome.key)
      record('changed', call, resourceId)
      return outcome.record
    })

  return {
    listed: {
      resourceType: type,
      locationOf,
      async list(query, renderContext) {
        const list = (page: typeof query) => store.list({ ...page, resourceType })
        const outcome = await listWithinMemory(query, list, renderContext)
        if (outcome.outcome === 'tooMany') return outcome
        return { ...outcome, records: outcome.records.map((each) => inOnePiece(() => render(each, renderContext))) }
      },
    },
    idOf: ({ resourceId }) => resourceId,
    versionOf,
    find,
    show: async (found, renderContext) => render(found, renderContext),
    writes: {
      patchAnswer: 'resource',
      create(sent, call) {
        const document = references.strip(sent)
        return quota.create(
          call.caller.provider.providerId,
          async () => {
            await checkReferences(document, {}, call)
            const state = stateOf(document, type, limits)
            return untilSettled(async () => {
              const resourceId = randomIdentifier(random)
              const outcome = await store.insert({ ...ownerOf(call.caller), resourceId, state, createdAt: call.now })
              if (outcome.outcome === 'inserted') {
                record('created', call, resourceId)
                return outcome.record
              }
              if (outcome.key === 'id') return undefined
              throw keyTakenError(outcome.key)
            })
          },
          () => requireFreeExternalId(getText(document, 'externalId'), call),
        )
      },
      replace: (document, call) => write(call, (current) => replaceResource(current, document, type).resource),
      patch: (parse, call) =>
        write(call, async (current) => {
          const { assignments, context } = await parse()
          const { resource } = await runInTurns(applyAssignments(current, assignments, context), call.turns)
          recordTolerances(context, call, journal)
          return resource
        }),
      remove: (call) =>
        untilSettled(async () => {
          const { resourceId, version, ...current } = await find(call)
          checkPreconditions(call.request, versionOf({ version }))
          const { providerId } = current
          const { outcome } = await store.remove({ providerId, resourceType, resourceId, version })
          if (outcome === 'conflict') return undefined
          // RFC 7644 §3.6: of concurrent DELETE requests, one succeeds.
          if (outcome === 'absent') throw refuse('resource_not_found')
          record('removed', call, resourceId)
          return 'removed' as const
        }),
    },
  }
}

/** Returns the entity tag (RFC 7644 §3.14). */
const versionOf = ({ version }: Pick<CustomResourceRecord, 'version'>): string => `W/"${version}"`

/** Returns the resource that PUT and PATCH change, with its `id`, because Okta repeats it in a PATCH. */
const documentOf = ({ resource, resourceId, externalId }: CustomResourceRecord): JsonObject =>
  toObject([...Object.entries(resource), ['id', resourceId], ['externalId', externalId]])

/** Returns the columns to store. @param document the resource, with names spelled as in the schema. */
function stateOf(
  document: JsonObject,
  type: ResourceType,
  { resourceBytes }: Pick<ScimLimits, 'resourceBytes'>,
): CustomResourceState {
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  // RFC 9110 §15.5.14: the same limit applies to users.
  if (utf8Length(JSON.stringify(resource)) > resourceBytes) throw refuse('resource_too_large')
  const comparable = comparableResource(resource, type)
  return {
    externalId: getText(document, 'externalId'),
    resource,
    comparable,
    uniqueTexts: uniqueTextsOf(comparable, type),
  }
}

/** Attributes that have separate columns, or are assigned by the server. */
const excludedAttributes: ReadonlySet<string> = new Set(['id', 'externalId', 'meta'])

/** Returns a string for each value that no other resource of the type may have (RFC 7643 §7 uniqueness). */
function uniqueTextsOf(comparable: JsonObject, { schema, extensions }: ResourceType): readonly string[] {
  const texts = [
    ...uniqueIn(schema.attributes, comparable, ''),
    ...extensions.flatMap((extension) => {
      const { id, attributes } = extension.schema
      const found = getMember(comparable, id)
      return isObject(found) ? uniqueIn(attributes, found, `${id}:`) : []
    }),
  ]
  return [...new Set(texts)]
}

function uniqueIn(attributes: readonly Attribute[], owner: JsonObject, prefix: string): readonly string[] {
  return attributes.flatMap((attribute) => {
    const attributeValue = getMember(owner, attribute.name)
    const values = isArray(attributeValue) ? attributeValue : attributeValue === undefined ? [] : [attributeValue]
    const label = `${prefix}${attribute.name}`
    if (attribute.type === 'complex')
      return values.filter(isObject).flatMap((value) => uniqueIn(attribute.subAttributes, value, `${label}.`))
    return attribute.uniqueness === 'none' ? [] : values.map((value) => `${label} ${JSON.stringify(value)}`)
  })
}

/** Creates the error for a unique value that another resource of the type already has (RFC 7644 §3.12 uniqueness). */
const keyTakenError = (key: 'externalId' | 'unique'): Error =>
  refuse(key === 'externalId' ? 'external_id_taken' : 'value_taken')
