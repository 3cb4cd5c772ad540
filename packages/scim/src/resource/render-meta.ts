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
export function renderMeta({ resourceType, record: { createdAt, updatedAt }, location, version }: ResourceMeta): JsonValue {
  const created = instantText(createdAt)
  return { resourceType, created, lastModified: updatedAt === createdAt ? created : instantText(updatedAt), location, version }
}
