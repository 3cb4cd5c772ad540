import { matchesFilter, type JsonObject } from '@mintmark/storage-interface'
import {
  comparableResource,
  openTally,
  parseFilter,
  resolveFilter,
  userResourceType,
  type ResourceType,
  type ToleranceTally,
} from '../src/index.ts'

/** Whether a filter finds a resource: what a list does, for one of them. */
export function finder(
  text: string,
  resourceType: ResourceType = userResourceType,
  tally: ToleranceTally = openTally(new Set()),
): (resource: JsonObject) => boolean {
  const matches = matchesFilter(resolveFilter(parseFilter(text, tally), resourceType, tally))
  return (resource) => matches(comparableResource(resource, resourceType))
}
