import type { GroupRecord, GroupState, JsonObject } from '@mintmark/storage-interface'

import { objectOf, textOf } from '../json/json-object.ts'
import { sameValue } from '../json/same-value.ts'
import { comparableResource } from '../resource/comparable-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'

/**
 * Takes a resource apart into what is stored in a group's own row; its members are rows of their own.
 * @param document complete, with names as the schema spells them.
 */
export function groupState(document: JsonObject, groupType: ResourceType): GroupState {
  const resource = objectOf(Object.entries(document).filter(([name]) => !storedApart.has(name)))
  return {
    externalId: textOf(document, 'externalId'),
    displayName: textOf(document, 'displayName') ?? '',
    resource,
    comparable: comparableResource(resource, groupType),
  }
}

/** The state when it differs from what is stored (RFC 7644 §3.5.2.1: what changes nothing leaves version and date alone). */
export const changedState = (group: GroupRecord, state: GroupState): GroupState | undefined =>
  group.externalId === state.externalId && sameValue(group.resource, state.resource) ? undefined : state

/** Columns of their own, rows of their own, or made by the server. */
const storedApart: ReadonlySet<string> = new Set(['id', 'externalId', 'members', 'meta'])
