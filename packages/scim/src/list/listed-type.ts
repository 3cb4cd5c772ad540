import type { JsonText, ListOutcome, ListQuery } from '@mintmark/storage-interface'

import type { ResourceType } from '../schema/define-resource-type.ts'
import type { Showing } from '../schema/shown-attributes.ts'

/** A type of resource that lists and searches are made of. */
export interface ListedType {
  readonly resourceType: ResourceType
  /** Where a resource of it is read: its `meta.location`. */
  readonly locationOf: (id: string, baseUrl: string) => string
  /** One page from storage, each resource as the answer shows it. */
  readonly list: (query: ListQuery, showing: Showing) => Promise<ListOutcome<JsonText>>
}
