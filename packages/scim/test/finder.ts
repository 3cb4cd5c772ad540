import { type JsonObject } from '@mintmark/storage-interface'
import { matchesFilter } from '@mintmark/storage-interface/stores'
import { userResourceType, type ResourceType } from '../src/index.ts'
import { resolveFilter } from '../src/filter/resolve-filter.ts'
import { parseFilter } from '../src/filter/parse-filter.ts'
import { comparableResource } from '../src/resource/comparable-resource.ts'
import { createToleranceCounter, type ToleranceCounter } from '../src/tolerance/tolerance-counter.ts'

/** Whether a filter finds a resource: what a list does, for one of them. */
export function finder(
  text: string,
  resourceType: ResourceType = userResourceType,
  tolerances: ToleranceCounter = createToleranceCounter(new Set()),
): (resource: JsonObject) => boolean {
  const matches = matchesFilter(resolveFilter(parseFilter(text, tolerances), resourceType, tolerances))
  return (resource) => matches(comparableResource(resource, resourceType))
}
