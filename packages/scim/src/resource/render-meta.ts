import type { EpochSeconds, JsonText } from '@mintmark/storage-interface'

import { instantText } from '../message/instant-text.ts'

/** What `meta` is made of: the dates are the record's own. */
interface ResourceMeta {
  readonly resourceType: 'User' | 'Group'
  readonly record: { readonly createdAt: EpochSeconds; readonly updatedAt: EpochSeconds }
  readonly location: string
  readonly version: string
}

/** The `meta` of a resource (RFC 7643 §3.1). Written as text: an object that becomes text takes twice as long, and a page has a hundred. */
export function metaText({
  resourceType,
  record: { createdAt, updatedAt },
  location,
  version,
}: ResourceMeta): JsonText {
  const created = instantText(createdAt)
  const lastModified = updatedAt === createdAt ? created : instantText(updatedAt)
  const where = JSON.stringify(location)
  return `{"resourceType":"${resourceType}","created":"${created}","lastModified":"${lastModified}","location":${where},"version":${JSON.stringify(version)}}` as JsonText
}
