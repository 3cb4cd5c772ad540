import type { EpochSeconds, JsonValue } from '@mintmark/storage-interface'

import { instantText } from '../message/instant-text.ts'

/** What `meta` is made of: the dates are the record's own. */
interface ResourceMeta {
  readonly resourceType: 'User' | 'Group'
  readonly record: { readonly createdAt: EpochSeconds; readonly updatedAt: EpochSeconds }
  readonly location: string
  readonly version: string
}

/** The `meta` of a resource (RFC 7643 §3.1). */
export const renderMeta = ({ resourceType, record, location, version }: ResourceMeta): JsonValue => ({
  resourceType,
  created: instantText(record.createdAt),
  lastModified: instantText(record.updatedAt),
  location,
  version,
})
